package dev.weft.hca.verbs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

/**
 * Counters that a peer's writes increment (NetVM, abstract). A peer sends an RDMA Write whose immediate data is the number of a counter, to a queue pair
 * with these counters. The write uses no receive. It increments the counter when its data and that of all earlier writes is in memory. A consumer can
 * detect that in three ways: by reading {@link #value} (busy wait), by {@link #await} or {@link #whenReached} (blocking wait), or by {@link #handle} (a
 * handler in a receive context).
 *
 * <p>Values only grow. Any thread may read and wait; the hardware thread increments. The counters fail when the last queue pair with them goes to ERR, is
 * reset or is destroyed, for example because its peer's node was lost; then all waits end. Giving them to another queue pair makes them valid again.
 */
public final class EventCounters {
  /** The result of a thread's wait. */
  public enum Awaited {
    /** The counter has reached the value. */
    REACHED,
    /** The counter has not reached the value in time. */
    TIMED_OUT,
    /** The counter has not reached the value, and no queue pair can increment it any more; {@link #failure} says why. */
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
  /** The waits for each counter; guarded by this object, like the handlers. */
  private final List<ArrayDeque<Waiting>> waiting = new ArrayList<>();
  private final Handler[] handlers;
  private final int waitersMax;
  private String failure;
  private int queuePairs;

  /**
   * Creates counters with the value 0, numbered from 0.
   *
   * @param count number of counters, 1 to 65,536
   * @param waitersMax largest number of waits for one counter at a time
   */
  public EventCounters(int count, int waitersMax, ReceiveContexts contexts) {
    if (count < 1 || count > 1 << 16 || waitersMax < 1) {
      throw new IllegalArgumentException("count is " + count + ", must be from 1 to 65536; waitersMax is " + waitersMax + ", must be at least 1");
    }
    this.contexts = contexts;
    this.waitersMax = waitersMax;
    values = new AtomicLongArray(count);
    handlers = new Handler[count];
    for (int i = 0; i < count; i++) {
      waiting.add(new ArrayDeque<>());
    }
  }

  /** Whether a counter of that number exists. */
  public boolean has(int counter) {
    return counter >= 0 && counter < values.length();
  }

  public int count() {
    return values.length();
  }

  /** The value of the counter, for example for a busy wait. */
  public long value(int counter) {
    return values.getAcquire(counter);
  }

  /** Increments a counter. Hardware thread, or the thread of the owner. */
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
        handler = null; // A call that is already scheduled sees the new value.
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
   * Waits without blocking a thread: calls {@code reached} in a receive context when the counter is at least {@code target}. Calls it at once, on this
   * thread, if that is so already or if the counters have failed. After a failure the value is below {@code target}.
   *
   * @throws IllegalStateException if there are too many waits for the counter
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
   * Sets a handler that is called with the value, in a receive context, after increments; one call may cover several increments. It is also called when
   * the counters have failed, see {@link #failure}. Null removes the handler.
   */
  public synchronized void handle(int counter, ReceiveContext context, LongConsumer action) {
    handlers[counter] = action == null ? null : new Handler(context, action);
  }

  /**
   * Blocks the calling thread until the counter is at least {@code target}. Only in real time, and not on the hardware thread.
   *
   * @throws IllegalStateException if there are too many waits for the counter
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

  /** Reports that a queue pair can increment these counters. */
  public synchronized void attached() {
    queuePairs++;
    failure = null;
  }

  /** Reports that a queue pair can no longer increment these counters. */
  public void detached(String reason) {
    boolean last;
    synchronized (this) {
      last = --queuePairs == 0;
    }
    if (last) {
      fail(reason);
    }
  }

  /** Fails the counters: no queue pair will increment them. All waits end, with the value below their target; later waits end at once. */
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

  /** The reason why the counters have failed, or null. */
  public synchronized String failure() {
    return failure;
  }
}
