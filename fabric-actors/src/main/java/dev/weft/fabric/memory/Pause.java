package dev.weft.fabric.memory;

import dev.weft.fabric.time.RealClock;
import java.util.concurrent.locks.LockSupport;

/** Short waits of any thread for what others do by themselves. */
final class Pause {
  private Pause() {}

  /** Sleeps for so long, whatever interrupts or wakes the thread; if it was or is interrupted it stays so. */
  static void of(long ns) {
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
