package dev.weft.lab.trials.dsm.apps;

/** A 64-bit digest of a sequence of numbers, to compare results; not cryptographic. */
final class Digest {
  private long state = 1;

  Digest add(long value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15L;
    state ^= state >>> 29;
    return this;
  }

  Digest add(double[] values, int count) {
    for (int i = 0; i < count; i++) {
      add(Double.doubleToRawLongBits(values[i]));
    }
    return this;
  }

  long value() {
    return state;
  }
}
