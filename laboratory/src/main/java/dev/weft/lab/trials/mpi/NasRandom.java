package dev.weft.lab.trials.mpi;

/**
 * The random numbers of the NAS Parallel Benchmarks (report RNR-94-007, section 2.3): x becomes 5^13 x modulo 2^46, and x / 2^46 is the number. A
 * product modulo 2^64 has the correct low 46 bits.
 */
final class NasRandom {
  private static final long FACTOR = 1_220_703_125L;
  private static final long MASK = (1L << 46) - 1;
  private static final double UNIT = 1.0 / (1L << 46);

  private long x;

  /** The sequence of a seed, starting after {@code skipped} numbers. */
  NasRandom(long seed, long skipped) {
    x = seed * power(skipped) & MASK;
  }

  private static long power(long exponent) {
    long result = 1;
    long square = FACTOR;
    for (long left = exponent; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        result = result * square & MASK;
      }
      square = square * square & MASK;
    }
    return result;
  }

  /** The next number, between 0 and 1. */
  double next() {
    x = x * FACTOR & MASK;
    return x * UNIT;
  }
}
