package dev.weft.pvfs.client;

import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.InterruptedCallException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Hands requests of threads to a client's actor and limits their number, from {@link #offer} until {@link #over}.
 *
 * @param <T> the type of a request
 */
public final class Inbox<T> {
  static final Duration FOREVER = Duration.ofDays(365);
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final ManyToOneConcurrentArrayQueue<T> queue;
  private final int max;
  private final Consumer<T> refuse;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicBoolean rung = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * Makes an empty inbox.
   *
   * @param max maximum number of requests that wait or are under way
   * @param refuse ends a request that came after the actor had ended; any thread
   */
  public Inbox(int max, Consumer<T> refuse) {
    this.max = max;
    this.refuse = refuse;
    this.queue = new ManyToOneConcurrentArrayQueue<>(max);
  }

  /**
   * Hands a request over. Any thread.
   *
   * @param ring wakes the actor
   * @return false if the maximum number is reached or the actor has ended; the request was not accepted then
   */
  public boolean offer(T one, Runnable ring) {
    if (closed) {
      return false;
    }
    if (count.incrementAndGet() > max || !queue.offer(one)) {
      count.decrementAndGet();
      return false;
    }
    if (closed) {
      refuseAll(); // The actor may not have seen this one.
    } else if (rung.compareAndSet(false, true)) {
      ring.run();
    }
    return true;
  }

  /**
   * Waits for room, hands a request over, and waits for its end. Meanwhile this thread does the work of the hardware.
   *
   * @param ring as in {@link #offer}
   * @param whom named in errors
   * @throws InterruptedCallException if the thread was interrupted, unless that is {@link Interrupts#putAside put aside}; a request that was handed
   *     over goes on
   * @throws IllegalStateException if the client is closed
   */
  public void call(Fabric fabric, T one, Runnable ring, BooleanSupplier isOver, String whom) {
    boolean[] taken = {false};
    while (true) {
      fabric.await(() -> taken[0] = taken[0] || offer(one, ring), () -> !taken[0] || isOver.getAsBoolean(), FOREVER);
      if (isOver.getAsBoolean()) {
        return;
      }
      if (closed) {
        throw new IllegalStateException("the client is closed");
      }
      boolean goesOn = Interrupts.isToGoOn();
      if (!goesOn && Thread.currentThread().isInterrupted()) {
        throw new InterruptedCallException(whom);
      }
      if (!goesOn && taken[0]) {
        throw new IllegalStateException("the fabric ends while it waited for " + whom);
      }
      if (!taken[0]) {
        fabric.await(() -> false, MOMENT); // The maximum number is under way.
      }
    }
  }

  /** Gives the actor all waiting requests. */
  public void drain(Consumer<T> to) {
    rung.set(false);
    for (T one = queue.poll(); one != null; one = queue.poll()) {
      to.accept(one);
    }
  }

  /** Frees the place of a request that has ended. Any thread. */
  public void over() {
    count.decrementAndGet();
  }

  /** The actor has ended. */
  public void close() {
    closed = true;
    refuseAll();
  }

  public boolean isClosed() {
    return closed;
  }

  private synchronized void refuseAll() {
    for (T one = queue.poll(); one != null; one = queue.poll()) {
      refuse.accept(one);
    }
  }
}
