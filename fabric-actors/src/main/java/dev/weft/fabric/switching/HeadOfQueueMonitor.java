package dev.weft.fabric.switching;

/**
 * Finds lanes whose far end has stopped granting credits. A lane is <em>blocked</em> while packets wait for a credit, counted
 * anew from each credit that comes in. Blocked for the head-of-queue lifetime, it is <em>stalled</em>: the port discards what
 * is queued and what still comes, until a credit comes in. Packets that are not to be lost stay queued, under a monitor of their own.
 */
final class HeadOfQueueMonitor {
  private final long lifetimeNs;
  private final boolean[] blocked;
  private final boolean[] stalled;
  private final long[] blockedSinceNs;
  private int blockedCount;

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

  /** Packets wait on {@code lane}; time counts from {@code nowNs} even if it was blocked before. */
  void block(int lane, long nowNs) {
    if (!blocked[lane]) {
      blocked[lane] = true;
      blockedCount++;
    }
    blockedSinceNs[lane] = nowNs;
  }

  /** Nothing waits on {@code lane} any more, and it may send. */
  void clear(int lane) {
    if (blocked[lane]) {
      blocked[lane] = false;
      blockedCount--;
    }
    stalled[lane] = false;
  }

  /** Turns a lane that has been blocked for the lifetime into a stalled one; answers whether it just did. */
  boolean expire(int lane, long nowNs) {
    if (!blocked[lane] || nowNs - blockedSinceNs[lane] < lifetimeNs) {
      return false;
    }
    clear(lane);
    stalled[lane] = true;
    return true;
  }

  /** This thread itself was held up: credits may be waiting unread, so give every blocked lane its lifetime again. */
  void restart(long nowNs) {
    for (int lane = 0; lane < blocked.length; lane++) {
      blockedSinceNs[lane] = nowNs;
    }
  }

  boolean isAnyBlocked() {
    return blockedCount > 0;
  }

  /** When the lane that is blocked longest expires. Only while {@link #isAnyBlocked}. */
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

  long lifetimeNs() {
    return lifetimeNs;
  }
}
