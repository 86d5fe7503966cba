package dev.weft.pvfs.client;

/**
 * How long a call waits for a server that cannot be reached. A server that has been away for {@code patienceNs} is given up: calls fail at once until it is
 * back. A call that began before the connection was lost waits as long all in all, and at least a fifth of that for a new connection.
 */
public record CallBound(long patienceNs) {
  private static final int RECONNECT_PART = 5;
  /** A timer that comes so late shows that this process stood still, or hardly ran: that time counts for no call. */
  private static final long LATE_NS = 2_000_000_000L;

  /**
   * What is left of the time of a call; 0 or less if it must fail.
   *
   * @param beganNs when it began
   * @param lostNs since when the server has not been reached
   */
  public long leftNs(long nowNs, long beganNs, long lostNs) {
    return Math.min(patienceNs - (nowNs - lostNs), leftOfPollNs(nowNs, beganNs, lostNs));
  }

  /** The same of a call that is asked again and again while there is no server: it does not fail at once. */
  public long leftOfPollNs(long nowNs, long beganNs, long lostNs) {
    return Math.max(patienceNs - (nowNs - beganNs), patienceNs / RECONNECT_PART - (nowNs - lostNs));
  }

  /** For how long this process stood still, where a timer of {@code dueNs} comes only now; 0 where it came as it should. */
  public static long stoodStillNs(long nowNs, long dueNs) {
    return nowNs - dueNs >= LATE_NS ? nowNs - dueNs : 0;
  }
}
