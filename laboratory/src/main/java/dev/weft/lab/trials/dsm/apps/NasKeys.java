package dev.weft.lab.trials.dsm.apps;

/**
 * The keys of the NAS benchmark IS: a linear congruential generator modulo 2^46; each key is the mean of four consecutive numbers. Any range of keys
 * can be made alone.
 */
final class NasKeys {
  private static final long SEED = 314_159_265L;
  private static final long MULTIPLIER = 1_220_703_125L;
  private static final int NUMBERS_PER_KEY = 4;
  private static final int MODULUS_BITS = 46;
  private static final long MASK = (1L << MODULUS_BITS) - 1;
  private static final double UNIT = 1.0 / (1L << MODULUS_BITS);

  private NasKeys() {}

  /** Keys {@code from} to {@code to} - 1 of a benchmark whose keys are below {@code keyMax}. */
  static int[] range(int from, int to, int keyMax) {
    int[] keys = new int[to - from];
    long state = SEED * power(MULTIPLIER, (long) NUMBERS_PER_KEY * from) & MASK;
    double quarter = (double) keyMax / NUMBERS_PER_KEY;
    for (int i = 0; i < keys.length; i++) {
      double sum = 0;
      for (int j = 0; j < NUMBERS_PER_KEY; j++) {
        state = state * MULTIPLIER & MASK;
        sum += state * UNIT;
      }
      keys[i] = (int) (quarter * sum);
    }
    return keys;
  }

  /** Computed modulo 2^64, a multiple of 2^46. */
  private static long power(long base, long exponent) {
    long result = 1;
    long square = base;
    for (long left = exponent; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        result *= square;
      }
      square *= square;
    }
    return result;
  }
}
