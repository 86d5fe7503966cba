package dev.weft.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The floor under a write within one JVM: {@link MemorySegment#copy} of one block between two native segments that stay in the
 * cache. Runs from source, {@code java Memcpy.java BYTES SECONDS}, and prints bytes per second as one JSON object.
 */
public final class Memcpy {
  private static final int BATCH = 64;

  private Memcpy() {}

  public static void main(String[] args) {
    if (args.length != 2) {
      System.err.println("usage: Memcpy BYTES SECONDS, e.g. Memcpy 1048576 1");
      System.exit(2);
    }
    long bytes = Long.parseLong(args[0]);
    long forNs = (long) (Double.parseDouble(args[1]) * 1e9);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(bytes, 4096).fill((byte) 1);
      MemorySegment to = arena.allocate(bytes, 4096).fill((byte) 2);
      copyFor(from, to, bytes, forNs / 2);
      System.out.println("{\"bytes\":" + bytes + ",\"bytesPerSecond\":" + copyFor(from, to, bytes, forNs) + "}");
    }
  }

  private static double copyFor(MemorySegment from, MemorySegment to, long bytes, long forNs) {
    long begin = System.nanoTime();
    long copies = 0;
    long elapsedNs;
    do {
      for (int i = 0; i < BATCH; i++) {
        MemorySegment.copy(from, 0, to, 0, bytes);
      }
      copies += BATCH;
      elapsedNs = System.nanoTime() - begin;
    } while (elapsedNs < forNs);
    return copies * (double) bytes * 1e9 / elapsedNs;
  }
}
