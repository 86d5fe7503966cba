package dev.weft.pvfs.wire;

/** Which of two writes is the later one, though the clock of a host may have been wrong, and put right since. Times are nanoseconds since 1970, 0 for none. */
public final class FileTimes {
  /** A time further in the future than that is of a clock that was wrong; clocks of hosts agree to less. */
  private static final long FUTURE_NS = 2_000_000_000L;
  /** Requests that are under way at the same time are not so far apart. */
  private static final long APART_NS = 60_000_000_000L;

  private FileTimes() {}

  /** Whether a write counts where another change is known: it is later, or that one was dated in what is the future now. */
  public static boolean isLater(long wroteNs, long knownNs, long nowNs) {
    return wroteNs != 0 && (wroteNs > knownNs || isInFuture(knownNs, nowNs));
  }

  static boolean isInFuture(long timeNs, long nowNs) {
    return timeNs - FUTURE_NS > nowNs;
  }

  /** What to remember when a write has come, and {@code lastNs} was the time of the one before: the later one, or this one if the clock was put back. */
  public static long next(long lastNs, long wroteNs) {
    return wroteNs > lastNs || lastNs - wroteNs > APART_NS ? wroteNs : lastNs;
  }

  /** The later one of what two daemons know of one file; of a clock that was wrong the other one. */
  public static long latest(long one, long other, long nowNs) {
    boolean isOne = isInFuture(other, nowNs) || one > other && !isInFuture(one, nowNs);
    return isOne ? one : other;
  }
}
