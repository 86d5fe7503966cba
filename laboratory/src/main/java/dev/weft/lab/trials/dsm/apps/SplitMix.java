package dev.weft.lab.trials.dsm.apps;

/** Random numbers by index, so that each worker makes its own part of an input: the finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
final class SplitMix {
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private SplitMix() {}

  static long bits(long index) {
    long z = (index + 1) * STEP;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** At least 0, below 1. */
  static double unit(long index) {
    return (bits(index) >>> 11) * 0x1.0p-53;
  }
}
