package dev.weft.hca.verbs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

/**
 * Counters that a peer's writes increment by naming them (seed 004, abstract): an RDMA Write with immediate data whose value is the number
 * of a counter, to a queue pair that was given these counters, takes no receive and increments the counter when its data and that of all
 * writes before it is in memory. Three ways to detect that: look at {@link #value} (busy wait), {@link #await} or {@link #whenReached}
 * (blocking wait), {@link #handle} (a handler in a receive context).
 *
 * <p>Values only grow. Waiting and looking: any thread. Incrementing: hardware thread. When the last queue pair with these counters has
 * gone to ERR, was reset or destroyed, whoever waits is told: its peer's node was lost, for example. A further queue pair that is given
 * them makes them good again.
 */
public final class EventCounters {
  /** How a thread's wait ended. */
  public enum Awaited {
    /** The counter has the value. */
    REACHED,
    /** It has not, and time is up. */
    TIMED_OUT,
    /** It has not, and nobody is left who could increment it: {@link #failure} says why. */
    LOST
  }

  private record Waiting(long target, ReceiveContext context, Runnable reached) {}

  private static final class Handler {
    final ReceiveContext context;
    final LongConsumer action;
    boolean called;

    Handler(ReceiveContext context, LongConsumer action) {
      this.context = context;
      this.action = action;
    }
  }

  private final AtomicLongArray values;
  private final ReceiveContexts contexts;
  /** Who waits, by counter; guarded by this object, as the handlers are. */
  private final List<ArrayDeque<Waiting>> waiting = new ArrayList<>();
  private final Handler[] handlers;
  private final int waitersMax;
  private String failure;
  private int queuePairs;

  /**
   * Counters that are 0.
   *
   * @param count numbered from 0, 1 to 65,536
   * @param waitersMax waits for one counter at a time; more are refused
   */
  public EventCounters(int count, int waitersMax, ReceiveContexts contexts) {
    if (count < 1 || count > 1 << 16 || waitersMax < 1) {
      throw new IllegalArgumentException(count + " counters with " + waitersMax + " waiters; counters from 1 to 65536, waiters at least 1");
    }
    this.contexts = contexts;
    this.waitersMax = waitersMax;
    values = new AtomicLongArray(count);
    handlers = new Handler[count];
    for (int i = 0; i < count; i++) {
      waiting.add(new ArrayDeque<>());
    }
  }

  /** Whether a write may name that number. */
  public boolean has(int counter) {
    return counter >= 0 && counter < values.length();
  }

  public int count() {
    return values.length();
  }

  /** How often the counter was incremented: a busy wait looks here. */
  public long value(int counter) {
    return values.getAcquire(counter);
  }

  /** Counts one write that named the counter. Hardware thread, or the owner's own. */
  public void increment(int counter) {
    long now = values.incrementAndGet(counter);
    List<Waiting> reached = List.of();
    Handler handler;
    synchronized (this) {
      if (!waiting.get(counter).isEmpty()) {
        reached = take(counter, now);
      }
      handler = handlers[counter];
      if (handler != null && handler.called) {
        handler = null; // It will see the new value.
      } else if (handler != null) {
        handler.called = true;
      }
    }
    reached.forEach(one -> contexts.run(one.context, one.reached));
    if (handler != null) {
      Handler called = handler;
      contexts.run(called.context, () -> call(counter, called));
    }
  }

  private void call(int counter, Handler handler) {
    synchronized (this) {
      handler.called = false;
    }
    handler.action.accept(values.getAcquire(counter));
  }

  private List<Waiting> take(int counter, long now) {
    List<Waiting> reached = new ArrayList<>();
    waiting.get(counter).removeIf(one -> {
      if (one.target > now) {
        return false;
      }
      reached.add(one);
      return true;
    });
    return reached;
  }

  /**
   * Blocking wait, without a thread: {@code reached} is called in a receive context when the counter is at least {@code target}; at once,
   * on this thread, if it is, or if the counters have failed: then the value is below its target.
   *
   * @throws IllegalStateException if too many wait
   */
  public void whenReached(int counter, long target, ReceiveContext context, Runnable reached) {
    if (!enqueue(counter, new Waiting(target, context, reached))) {
      reached.run();
    }
  }

  private synchronized boolean enqueue(int counter, Waiting one) {
    if (failure != null || values.get(counter) >= one.target) {
      return false;
    }
    if (waiting.get(counter).size() >= waitersMax) {
      throw new IllegalStateException("counter " + counter + " has " + waitersMax + " waiters already");
    }
    waiting.get(counter).add(one);
    return true;
  }

  /**
   * Has {@code action} called in a receive context after increments, with the value; several may be one call. It is also called when the
   * counters have failed, see {@link #failure}. Null ends it.
   */
  public synchronized void handle(int counter, ReceiveContext context, LongConsumer action) {
    handlers[counter] = action == null ? null : new Handler(context, action);
  }

  /**
   * Blocking wait of a thread; real time only, not on the hardware thread.
   *
   * @throws IllegalStateException if too many wait
   * @throws InterruptedException if the thread is interrupted
   */
  public Awaited await(int counter, long target, long timeoutNs) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Waiting mine = new Waiting(target, ReceiveContext.PROCESS, ended::countDown);
    try {
      if (enqueue(counter, mine) && !ended.await(timeoutNs, TimeUnit.NANOSECONDS) && value(counter) < target) {
        return Awaited.TIMED_OUT;
      }
    } finally {
      synchronized (this) {
        waiting.get(counter).remove(mine);
      }
    }
    return value(counter) >= target ? Awaited.REACHED : Awaited.LOST;
  }

  /** A queue pair was given these counters. */
  public synchronized void attached() {
    queuePairs++;
    failure = null;
  }

  /** A queue pair with these counters can increment them no more. */
  public void detached(String reason) {
    boolean last;
    synchronized (this) {
      last = --queuePairs == 0;
    }
    if (last) {
      fail(reason);
    }
  }

  /** Nobody will increment any more: who waits is called, and finds the value below its target; so do later waits, at once. */
  public void fail(String reason) {
    List<Waiting> released = new ArrayList<>();
    List<Integer> handled = new ArrayList<>();
    synchronized (this) {
      failure = reason;
      for (int i = 0; i < values.length(); i++) {
        released.addAll(take(i, Long.MAX_VALUE));
        if (handlers[i] != null && !handlers[i].called) {
          handlers[i].called = true;
          handled.add(i);
        }
      }
    }
    released.forEach(one -> contexts.run(one.context, one.reached));
    for (int counter : handled) {
      Handler handler = handlers[counter];
      if (handler != null) {
        contexts.run(handler.context, () -> call(counter, handler));
      }
    }
  }

  /** Why nobody increments any more, or null. */
  public synchronized String failure() {
    return failure;
  }
}
