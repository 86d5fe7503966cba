package dev.weft.tripwire.via;

import dev.weft.fabric.time.Clock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Threads that wait for the provider. Bound: the waiting threads. */
final class Waiter {
  private final Clock clock;
  private final Queue<Runnable> sleepers = new ConcurrentLinkedQueue<>();

  Waiter(Clock clock) {
    this.clock = clock;
  }

  /** Wakes all waiting threads, which check their conditions. */
  void wake() {
    for (Runnable sleeper : sleepers) {
      sleeper.run();
    }
  }

  /** Waits until {@code condition} holds; returns false after {@code maxNs}, or if interrupted. */
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
