package dev.weft.pvfs.wire;

/**
 * Decides which of two writes is the later one, although a host's clock may have been wrong and corrected since. Times are nanoseconds since 1970, 0
 * for none.
 */
public final class FileTimes {
  /** A time further in the future comes from a wrong clock; clocks of hosts differ by less. */
  private static final long FUTURE_NS = 2_000_000_000L;
  /** Concurrent requests are never so far apart. */
  private static final long APART_NS = 60_000_000_000L;

  private FileTimes() {}

  /** Whether a write counts beside another known change: it is later, or the known change is dated in the future. */
  public static boolean isLater(long wroteNs, long knownNs, long nowNs) {
    return wroteNs != 0 && (wroteNs > knownNs || isInFuture(knownNs, nowNs));
  }

  static boolean isInFuture(long timeNs, long nowNs) {
    return timeNs - FUTURE_NS > nowNs;
  }

  /**
   * Returns the time to remember after a write, if {@code lastNs} is that of the write before: the later one, or the new one if the clock was put
   * back.
   */
  public static long next(long lastNs, long wroteNs) {
    return wroteNs > lastNs || lastNs - wroteNs > APART_NS ? wroteNs : lastNs;
  }

  /** Returns the later of the times that two daemons know of one file; a time of a wrong clock loses. */
  public static long latest(long one, long other, long nowNs) {
    boolean isOne = isInFuture(other, nowNs) || one > other && !isInFuture(one, nowNs);
    return isOne ? one : other;
  }
}
