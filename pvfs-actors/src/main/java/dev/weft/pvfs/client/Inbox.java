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
 * What threads ask of a client's actor, on its way there, and how much of it there may be: from {@link #offer} until {@link #over}.
 *
 * @param <T> what is asked
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
   * Empty.
   *
   * @param max that may wait or be under way
   * @param refuse ends one that came when the actor had gone; any thread
   */
  public Inbox(int max, Consumer<T> refuse) {
    this.max = max;
    this.refuse = refuse;
    this.queue = new ManyToOneConcurrentArrayQueue<>(max);
  }

  /**
   * Hands one over. Any thread.
   *
   * @param ring tells the actor to look
   * @return false if there are as many as there may be, or the actor has gone; it was not taken then
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
   * Hands one over, when there is room, and waits until it is over; this thread does the work of the hardware meanwhile.
   *
   * @param ring as in {@link #offer}
   * @param whom for errors
   * @throws InterruptedCallException if the thread was interrupted, unless that is {@link Interrupts#putAside put aside}: what was handed over goes on
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
        fabric.await(() -> false, MOMENT); // As many as there may be are under way.
      }
    }
  }

  /** The actor looks: gives it all that is there. */
  public void drain(Consumer<T> to) {
    rung.set(false);
    for (T one = queue.poll(); one != null; one = queue.poll()) {
      to.accept(one);
    }
  }

  /** One is over. Any thread. */
  public void over() {
    count.decrementAndGet();
  }

  /** The actor has gone. */
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
