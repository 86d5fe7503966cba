package dev.weft.fabric.dispatch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Helpers that sleep because another thread runs the hardware, each with the condition that it waits for. */
final class Waiters {
  private record Waiter(Thread thread, BooleanSupplier until) {}

  private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();

  /** Sleeps until another thread wakes it, which happens if {@code until} holds; at most {@code maxNs}; not at all if {@code awake} holds. */
  void sleep(Thread me, BooleanSupplier until, BooleanSupplier awake, long maxNs) {
    Waiter waiter = new Waiter(me, until);
    count.incrementAndGet();
    waiters.add(waiter);
    try {
      if (!awake.getAsBoolean()) {
        LockSupport.parkNanos(this, maxNs);
      }
    } finally {
      waiters.remove(waiter);
      count.decrementAndGet();
    }
  }

  /** Wakes the waiters whose condition holds. */
  void wakeServed() {
    if (count.get() > 0) {
      for (Waiter waiter : waiters) {
        if (waiter.until.getAsBoolean()) {
          LockSupport.unpark(waiter.thread);
        }
      }
    }
  }

  /** Wakes the first waiter, which then runs the hardware in place of the caller. */
  void wakeFirst() {
    if (count.get() > 0) {
      Waiter next = waiters.peek();
      if (next != null) {
        LockSupport.unpark(next.thread);
      }
    }
  }
}
