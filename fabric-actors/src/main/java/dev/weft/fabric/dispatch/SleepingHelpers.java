package dev.weft.fabric.dispatch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Helpers that sleep because another thread runs the hardware, each with the condition that it waits for. */
final class SleepingHelpers {
  private record Sleeper(Thread thread, BooleanSupplier until) {}

  private final Queue<Sleeper> sleepers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();

  /** Sleeps until another thread wakes it, which happens if {@code until} holds; at most {@code maxNs}; not at all if {@code awake} holds. */
  void sleep(Thread me, BooleanSupplier until, BooleanSupplier awake, long maxNs) {
    Sleeper sleeper = new Sleeper(me, until);
    count.incrementAndGet();
    sleepers.add(sleeper);
    try {
      if (!awake.getAsBoolean()) {
        LockSupport.parkNanos(this, maxNs);
      }
    } finally {
      sleepers.remove(sleeper);
      count.decrementAndGet();
    }
  }

  /** Wakes the sleepers whose condition holds. */
  void wakeServed() {
    if (count.get() > 0) {
      for (Sleeper sleeper : sleepers) {
        if (sleeper.until.getAsBoolean()) {
          LockSupport.unpark(sleeper.thread);
        }
      }
    }
  }

  /** Wakes the first sleeper, which then runs the hardware in place of the caller. */
  void wakeFirst() {
    if (count.get() > 0) {
      Sleeper next = sleepers.peek();
      if (next != null) {
        LockSupport.unpark(next.thread);
      }
    }
  }
}
