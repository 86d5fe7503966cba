package dev.weft.lab.kit;

import java.util.SplittableRandom;

/** Random choices from one stream. */
public final class Draw {
  private final SplittableRandom random;

  public Draw(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A separate stream, so that the draws of one consumer do not shift another's. */
  public Draw split() {
    return new Draw(random.nextLong());
  }

  /** A whole number from {@code low} to {@code high}, inclusive. */
  public int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  public long between(long low, long high) {
    return low + random.nextLong(high - low + 1);
  }

  public boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** Between {@code low} and {@code high}; each order of magnitude is equally likely. */
  public double logarithmic(double low, double high) {
    return low * Math.pow(high / low, random.nextDouble());
  }

  /** A count from {@code low} to {@code high}; small counts and {@code high} itself are frequent. */
  public int skewed(int low, int high) {
    if (chance(0.1)) {
      return high;
    }
    return Math.min(high, (int) logarithmic(low, high + 1.0));
  }

  public int pick(int... choices) {
    return choices[random.nextInt(choices.length)];
  }

  public long nextLong() {
    return random.nextLong();
  }

  public int nextInt() {
    return random.nextInt();
  }

  /** An initial packet sequence number. */
  public int psn() {
    // Often near the end of the number space, so that it wraps during the run.
    return chance(0.3) ? 0xffffff - between(0, 64) : random.nextInt(1 << 24);
  }
}
