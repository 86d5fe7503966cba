package dev.weft.pvfs.mpiio;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Sends a short text of rank 0 to all ranks. */
final class Texts {
  private static final int BYTES_MAX = 512;

  private Texts() {}

  /** Returns the text of rank 0; the texts of other ranks are ignored. */
  static String broadcast(Ranks ranks, String text) {
    MemorySegment buffer = Numbers.memory(BYTES_MAX);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= BYTES_MAX) {
      throw new IllegalArgumentException("a text of " + bytes.length + " bytes for all ranks, may have " + (BYTES_MAX - 1));
    }
    buffer.setString(0, text);
    ranks.broadcast(buffer, 0);
    return buffer.getString(0);
  }
}
