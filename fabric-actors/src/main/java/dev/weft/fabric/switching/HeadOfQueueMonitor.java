package dev.weft.fabric.switching;

/**
 * Finds lanes whose far end has stopped granting credits. A lane is <em>blocked</em> while packets wait for a credit; each credit
 * that comes in restarts the time. A lane that is blocked for the head-of-queue lifetime is <em>stalled</em>: until a credit comes
 * in, the port discards queued packets and those that still come. Lossless packets stay queued; a second monitor watches them.
 */
final class HeadOfQueueMonitor {
  private final long lifetimeNs;
  private final boolean[] blocked;
  private final boolean[] stalled;
  private final long[] blockedSinceNs;
  private int blockedCount;
  private boolean checkAwaited;
  private long checkDueNs;

  HeadOfQueueMonitor(int virtualLanes, long lifetimeNs) {
    this.lifetimeNs = lifetimeNs;
    this.blocked = new boolean[virtualLanes];
    this.stalled = new boolean[virtualLanes];
    this.blockedSinceNs = new long[virtualLanes];
  }

  boolean isBlocked(int lane) {
    return blocked[lane];
  }

  boolean isStalled(int lane) {
    return stalled[lane];
  }

  /** Marks {@code lane} as blocked from {@code nowNs} on, also if it was blocked before. */
  void block(int lane, long nowNs) {
    if (!blocked[lane]) {
      blocked[lane] = true;
      blockedCount++;
    }
    blockedSinceNs[lane] = nowNs;
  }

  /** Marks {@code lane} as neither blocked nor stalled. */
  void clear(int lane) {
    if (blocked[lane]) {
      blocked[lane] = false;
      blockedCount--;
    }
    stalled[lane] = false;
  }

  /** Marks a lane that has been blocked for the lifetime as stalled. Returns whether it did. */
  boolean expire(int lane, long nowNs) {
    if (!blocked[lane] || nowNs - blockedSinceNs[lane] < lifetimeNs) {
      return false;
    }
    clear(lane);
    stalled[lane] = true;
    return true;
  }

  /** Asks for a check when a lane may expire. Returns false if one is awaited already, or if no lane is blocked. */
  boolean awaitCheck() {
    if (checkAwaited || !isAnyBlocked()) {
      return false;
    }
    checkAwaited = true;
    checkDueNs = nextExpiryNs();
    return true;
  }

  /** Returns the time of the awaited check. */
  long checkDueNs() {
    return checkDueNs;
  }

  /** Begins the awaited check. If this thread itself was delayed, every blocked lane gets its full lifetime again: credits may wait unread. */
  void beginCheck(long nowNs) {
    checkAwaited = false;
    if (nowNs - checkDueNs > lifetimeNs / 2) {
      restart(nowNs);
    }
  }

  /** Gives every blocked lane its full lifetime again. */
  void restart(long nowNs) {
    for (int lane = 0; lane < blocked.length; lane++) {
      blockedSinceNs[lane] = nowNs;
    }
  }

  boolean isAnyBlocked() {
    return blockedCount > 0;
  }

  /** Returns the time at which the lane that is blocked longest expires. Only while {@link #isAnyBlocked}. */
  long nextExpiryNs() {
    boolean found = false;
    long earliestNs = 0;
    for (int lane = 0; lane < blocked.length; lane++) {
      if (blocked[lane] && (!found || blockedSinceNs[lane] - earliestNs < 0)) {
        earliestNs = blockedSinceNs[lane];
        found = true;
      }
    }
    return earliestNs + lifetimeNs;
  }
}
