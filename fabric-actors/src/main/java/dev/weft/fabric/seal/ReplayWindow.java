package dev.weft.fabric.seal;

/** The sequence numbers of one sender that have arrived lately, as in RFC 6479. One thread. */
final class ReplayWindow {
  /** Numbers that are remembered; older ones count as seen. A power of two. */
  static final int LENGTH = 8192;

  private final long[] bits = new long[LENGTH / Long.SIZE];
  /** The highest number so far; -1 at first. */
  private long highest = -1;

  /** Whether the number is new. */
  boolean isNew(long number) {
    if (number > highest) {
      return true;
    }
    return highest - number < LENGTH && (bits[word(number)] & 1L << number) == 0;
  }

  /** Remembers a number that {@link #isNew}. */
  void add(long number) {
    if (number > highest) {
      forget(highest + 1, number);
      highest = number;
    }
    bits[word(number)] |= 1L << number;
  }

  /** Clears the bits of the numbers from {@code first} to {@code last}, whose places older numbers have used. */
  private void forget(long first, long last) {
    for (long number = Math.max(first, last - LENGTH + 1); number <= last; number++) {
      bits[word(number)] &= ~(1L << number);
    }
  }

  private static int word(long number) {
    return (int) (number & LENGTH - 1) / Long.SIZE;
  }
}
