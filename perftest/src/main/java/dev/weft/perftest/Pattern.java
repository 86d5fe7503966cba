package dev.weft.perftest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that tell which message they belong to and where they stand in it; the last byte is the message's number modulo 256. */
final class Pattern {
  private static final int LOST_MAX = 1 << 16;

  private Pattern() {}

  static void fill(MemorySegment segment, long offset, int length, long message) {
    long seed = message * 0x9e3779b97f4a7c15L;
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset + at, word(seed, at));
    }
    for (long rest = word(seed, at); at < length; at++, rest >>>= 8) {
      segment.set(ValueLayout.JAVA_BYTE, offset + at, (byte) rest);
    }
    segment.set(ValueLayout.JAVA_BYTE, offset + length - 1, (byte) message);
  }

  /** The offset in the message of the first byte that is not the pattern's, or -1. */
  static int firstWrong(MemorySegment segment, long offset, int length, long message) {
    long seed = message * 0x9e3779b97f4a7c15L;
    for (int at = 0; at < length; at++) {
      byte expected = at == length - 1 ? (byte) message : (byte) (word(seed, at & -Long.BYTES) >>> ((at & 7) << 3));
      if ((at & 7) == 0 && at + 8 < length && segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + at) == word(seed, at)) {
        at += 7;
      } else if (segment.get(ValueLayout.JAVA_BYTE, offset + at) != expected) {
        return at;
      }
    }
    return -1;
  }

  /**
   * The number of the message whose pattern this is, the first after {@code last}, where up to 65,536 may be missing; if it is none, the
   * first whose last byte is this one.
   */
  static long messageAfter(MemorySegment segment, long offset, int length, long last) {
    long first = numberAfter(last, segment.get(ValueLayout.JAVA_BYTE, offset + length - 1));
    for (long message = first; message <= last + LOST_MAX; message += 256) {
      if (firstWrong(segment, offset, length, message) < 0) {
        return message;
      }
    }
    return first;
  }

  /** The first number after {@code last} that ends in this byte. */
  static long numberAfter(long last, byte lastByte) {
    return last + 1 + ((lastByte - (last + 1)) & 0xff);
  }

  private static long word(long seed, int at) {
    long mixed = (seed + at) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 29)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 32);
  }
}
