package dev.weft.pvfs.wire;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** A value that does not fit into one message: it comes in parts, each with a mark of the whole, so that parts of two values are not put together. */
public final class LongValue {
  /** Longest value, as Linux limits an extended attribute, and the list of their names. */
  public static final int BYTES_MAX = 1 << 16;

  private LongValue() {}

  /** Length, and checksum above it; larger than 0 but for an empty value, of which it is 0. */
  public static long mark(byte[] whole) {
    CRC32C sum = new CRC32C();
    sum.update(whole);
    return whole.length == 0 ? 0 : sum.getValue() >>> 1 << Integer.SIZE | whole.length;
  }

  /** The length that a mark says. */
  public static int length(long mark) {
    return (int) mark;
  }

  /** The part from {@code from} on that fits into {@code max} bytes. */
  public static byte[] part(byte[] whole, long from, int max) {
    int start = Math.clamp(from, 0, whole.length);
    return Arrays.copyOfRange(whole, start, Math.min(whole.length, start + max));
  }
}
