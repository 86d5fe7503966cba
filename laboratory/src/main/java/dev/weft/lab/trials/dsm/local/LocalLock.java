package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.access.InPlace;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A lock of the threads of this JVM; threads get it in the order in which they asked. */
final class LocalLock implements DsmLock {
  /** The wait of one thread, for the lock or for a signal; guarded by the lock's {@code guard}. */
  private static final class Waiter {
    private final Thread thread = Thread.currentThread();
    private final Condition wake;
    private boolean done;

    private Waiter(Condition wake) {
      this.wake = wake;
    }

    private void finish() {
      done = true;
      wake.signal();
    }
  }

  private final LocalSpace space;
  private final String name;
  /** Guards all fields below, and the queues of this lock's conditions. */
  private final ReentrantLock guard = new ReentrantLock();
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private Thread holder;
  private boolean closed;

  LocalLock(LocalSpace space, String name) {
    this.space = space;
    this.name = name;
  }

  String name() {
    return name;
  }

  boolean isOf(LocalSpace other) {
    return space == other;
  }

  @Override
  public Acquired acquire() {
    tryAcquire(Duration.ofNanos(Long.MAX_VALUE));
    return Acquired.RELEASED;
  }

  @Override
  public Optional<Acquired> tryAcquire(Duration max) {
    InPlace.mine().requireOutside();
    guard.lock();
    try {
      checkOpen();
      if (holder == Thread.currentThread()) {
        throw new IllegalStateException("this thread has lock " + name + " already");
      }
      return take(nanos(max)) ? Optional.of(Acquired.RELEASED) : Optional.empty();
    } finally {
      guard.unlock();
    }
  }

  @Override
  public void release() {
    guard.lock();
    try {
      checkHeld();
      giveOn();
    } finally {
      guard.unlock();
    }
  }

  /** Releases the lock, waits in {@code queue} for a signal, and takes the lock again; returns false if no signal came within {@code maxNs}. */
  boolean await(ArrayDeque<Object> queue, long maxNs) {
    InPlace.mine().requireOutside();
    guard.lock();
    try {
      checkOpen();
      checkHeld();
      Waiter waiter = new Waiter(guard.newCondition());
      queue.add(waiter);
      giveOn();
      try {
        return sleep(waiter, queue, maxNs);
      } finally {
        retake();
      }
    } finally {
      guard.unlock();
    }
  }

  /** A thread that waits for a condition takes the lock again even after an interrupt. */
  private void retake() {
    if (holder == null) {
      holder = Thread.currentThread();
      return;
    }
    Waiter waiter = new Waiter(guard.newCondition());
    waiting.add(waiter);
    while (!waiter.done && !closed) {
      waiter.wake.awaitUninterruptibly();
    }
    if (!waiter.done) {
      waiting.remove(waiter);
      throw LocalSpace.closed();
    }
  }

  /** Ends the waits of up to {@code countMax} threads of {@code queue}. */
  void signal(ArrayDeque<Object> queue, int countMax) {
    guard.lock();
    try {
      checkHeld();
      for (int i = 0; i < countMax && !queue.isEmpty(); i++) {
        ((Waiter) queue.poll()).finish();
      }
    } finally {
      guard.unlock();
    }
  }

  /** Wakes the threads that wait for the lock or in {@code queues}; they throw because the space is closed. */
  void close(Iterable<ArrayDeque<Object>> queues) {
    guard.lock();
    try {
      closed = true;
      waiting.forEach(waiter -> waiter.wake.signal());
      queues.forEach(queue -> queue.forEach(waiter -> ((Waiter) waiter).wake.signal()));
    } finally {
      guard.unlock();
    }
  }

  private boolean take(long maxNs) {
    if (holder == null) {
      holder = Thread.currentThread();
      return true;
    }
    Waiter waiter = new Waiter(guard.newCondition());
    waiting.add(waiter);
    return sleep(waiter, waiting, maxNs);
  }

  /**
   * Waits until the waiter is done and so out of its queue; otherwise removes it. A lock or signal that arrives together with an interrupt is not
   * lost.
   */
  private boolean sleep(Waiter waiter, ArrayDeque<? super Waiter> queue, long maxNs) {
    long leftNs = maxNs;
    try {
      while (!waiter.done && !closed && leftNs > 0) {
        leftNs = waiter.wake.awaitNanos(leftNs);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (waiter.done) {
        return true;
      }
      queue.remove(waiter);
      throw new IllegalStateException("interrupted while waiting for lock " + name, e);
    }
    if (!waiter.done && closed) {
      queue.remove(waiter);
      throw LocalSpace.closed();
    }
    if (!waiter.done) {
      queue.remove(waiter);
    }
    return waiter.done;
  }

  private void giveOn() {
    Waiter next = waiting.poll();
    holder = next == null ? null : next.thread;
    if (next != null) {
      next.finish();
    }
  }

  private void checkHeld() {
    if (holder != Thread.currentThread()) {
      throw new IllegalStateException("this thread does not have lock " + name);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw LocalSpace.closed();
    }
  }

  static long nanos(Duration max) {
    return max.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : Math.max(0, max.toNanos());
  }
}
