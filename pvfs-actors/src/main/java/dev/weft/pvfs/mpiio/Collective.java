package dev.weft.pvfs.mpiio;

import java.util.stream.IntStream;

/** Calls that all ranks make together. Each call begins with an agreement that carries its number, so ranks that make different calls get an error. */
enum Collective {
  /** Any agreement of a call but the first. */
  WITHIN("a later part of a call"),
  OPEN("open"),
  CLOSE("close"),
  SET_VIEW("setView"),
  SET_SIZE("setSize"),
  SEEK_SHARED("seekShared"),
  SYNC("sync"),
  READ_AT_ALL("readAtAll"),
  WRITE_AT_ALL("writeAtAll"),
  READ_ALL("readAll"),
  WRITE_ALL("writeAll"),
  READ_ORDERED("readOrdered"),
  WRITE_ORDERED("writeOrdered");

  private final String text;

  Collective(String text) {
    this.text = text;
  }

  private static String textOf(long number) {
    return number >= 0 && number < values().length ? values()[(int) number].text : "call " + number;
  }

  /** @throws IllegalStateException at all ranks, if the ranks' {@code calls} are not all the same */
  static void requireSame(long[] calls) {
    IntStream.range(1, calls.length).filter(rank -> calls[rank] != calls[0]).findFirst().ifPresent(rank -> {
      throw new IllegalStateException("rank 0 calls " + textOf(calls[0]) + " and rank " + rank + " " + textOf(calls[rank])
          + "; all ranks must make the same collective calls in the same order");
    });
  }
}
