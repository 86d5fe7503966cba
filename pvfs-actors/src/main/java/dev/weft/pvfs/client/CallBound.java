package dev.weft.pvfs.client;

/**
 * How long a call waits for a server that cannot be reached. After {@code patienceNs} without the server, calls fail at once until it is back. A call
 * that began before the connection was lost waits {@code patienceNs} in total, but at least a fifth of that for a new connection.
 */
public record CallBound(long patienceNs) {
  private static final int RECONNECT_PART = 5;
  /** A timer that comes so late shows that this process was paused or hardly ran. That time counts for no call. */
  private static final long LATE_NS = 2_000_000_000L;

  /**
   * Returns the remaining time of a call; 0 or less if it must fail.
   *
   * @param beganNs when the call began
   * @param lostNs since when the server is unreachable
   */
  public long leftNs(long nowNs, long beganNs, long lostNs) {
    return Math.min(patienceNs - (nowNs - lostNs), leftOfPollNs(nowNs, beganNs, lostNs));
  }

  /** As {@link #leftNs}, for a call that repeats its question while there is no server: it does not fail at once. */
  public long leftOfPollNs(long nowNs, long beganNs, long lostNs) {
    return Math.max(patienceNs - (nowNs - beganNs), patienceNs / RECONNECT_PART - (nowNs - lostNs));
  }

  /** Returns how long this process was paused, if a timer for {@code dueNs} comes only now; 0 if it came in time. */
  public static long stoodStillNs(long nowNs, long dueNs) {
    return nowNs - dueNs >= LATE_NS ? nowNs - dueNs : 0;
  }
}
