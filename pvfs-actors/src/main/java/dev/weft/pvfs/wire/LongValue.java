package dev.weft.pvfs.wire;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** A value that is too long for one message. It comes in parts, each with a mark of the whole, so parts of different values are not put together. */
public final class LongValue {
  /** Longest value: Linux's limit for an extended attribute, and for the list of their names. */
  public static final int BYTES_MAX = 1 << 16;

  private LongValue() {}

  /** Returns the mark: the length, with a checksum above it; greater than 0, but 0 for an empty value. */
  public static long mark(byte[] whole) {
    CRC32C sum = new CRC32C();
    sum.update(whole);
    return whole.length == 0 ? 0 : sum.getValue() >>> 1 << Integer.SIZE | whole.length;
  }

  /** Returns the length in a mark. */
  public static int length(long mark) {
    return (int) mark;
  }

  /** Returns the part from {@code from} on that fits into {@code max} bytes. */
  public static byte[] part(byte[] whole, long from, int max) {
    int start = Math.clamp(from, 0, whole.length);
    return Arrays.copyOfRange(whole, start, Math.min(whole.length, start + max));
  }
}
