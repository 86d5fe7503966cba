package dev.weft.fabric.memory;

import java.util.concurrent.locks.LockSupport;

/** Short waits of any thread for what others do by themselves. */
final class Pause {
  private Pause() {}

  /** Sleeps for so long, also where the thread is interrupted already, which it stays. An interrupt meanwhile ends it: the caller looks again. */
  static void of(long ns) {
    boolean wasInterrupted = Thread.interrupted();
    if (wasInterrupted) {
      LockSupport.parkNanos(1); // Takes the permit that the interrupt has left, which would end the next one at once.
    }
    LockSupport.parkNanos(ns);
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
