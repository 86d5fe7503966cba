package dev.weft.fabric.time;

import java.util.concurrent.locks.LockSupport;

/** Short waits in real time, on any thread. */
public final class Pause {
  private Pause() {}

  /** Sleeps for {@code ns}, even if the thread is interrupted or woken; keeps the interrupt status. */
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
