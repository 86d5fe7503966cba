package dev.weft.perftest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A byte pattern that depends on the message's number and the position in the message. The last byte is the message's number modulo 256. */
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

  /** Returns the offset in the message of the first byte that differs from the pattern, or -1. */
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
   * Returns the number of the message with this pattern, searching the 65,536 numbers after {@code last}. If none matches, returns the first
   * number after {@code last} with this last byte.
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

  /** Returns the first number after {@code last} whose last byte is {@code lastByte}. */
  static long numberAfter(long last, byte lastByte) {
    return last + 1 + ((lastByte - (last + 1)) & 0xff);
  }

  private static long word(long seed, int at) {
    long mixed = (seed + at) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 29)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 32);
  }
}
