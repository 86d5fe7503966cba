package dev.weft.tripwire.via;

import dev.weft.fabric.time.Clock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Who waits for something that the provider does. Bound: the threads that wait. */
final class Waiter {
  private final Clock clock;
  private final Queue<Runnable> sleepers = new ConcurrentLinkedQueue<>();

  Waiter(Clock clock) {
    this.clock = clock;
  }

  /** Something has changed. */
  void wake() {
    for (Runnable sleeper : sleepers) {
      sleeper.run();
    }
  }

  /** Waits until {@code condition} holds; false after {@code maxNs}, or if interrupted. */
  boolean await(BooleanSupplier condition, long maxNs) {
    Thread me = Thread.currentThread();
    Runnable wake = () -> LockSupport.unpark(me);
    long startNs = clock.nowNs();
    sleepers.add(wake);
    try {
      while (!condition.getAsBoolean()) {
        long leftNs = maxNs - (clock.nowNs() - startNs);
        if (leftNs <= 0 || me.isInterrupted()) {
          return condition.getAsBoolean();
        }
        LockSupport.parkNanos(this, leftNs);
      }
      return true;
    } finally {
      sleepers.remove(wake);
    }
  }
}
