package dev.weft.fabric.time;

import java.util.concurrent.locks.LockSupport;

/** Short waits of any thread, in real time, for what others do by themselves. */
public final class Pause {
  private Pause() {}

  /** Sleeps for so long, whatever interrupts or wakes the thread; if it was or is interrupted it stays so. */
  public static void of(long ns) {
    long startNs = RealClock.INSTANCE.nowNs();
    boolean wasInterrupted = false;
    for (long leftNs = ns; leftNs > 0; leftNs = ns - (RealClock.INSTANCE.nowNs() - startNs)) {
      wasInterrupted |= Thread.interrupted();
      LockSupport.parkNanos(leftNs);
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
