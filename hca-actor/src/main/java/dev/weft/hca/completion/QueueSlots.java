package dev.weft.hca.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tracks the free slots of a send or receive queue by counters that only grow: all slots before {@link #freed} are free. A slot becomes free when the
 * completion of its request, or of a later request of the queue, is polled. So there are never more completions than slots in the work queues of a
 * completion queue, and a completion queue with room for all of them cannot overrun. The object is small because completions in a ring keep it alive
 * after its queue pair is destroyed.
 */
public final class QueueSlots {
  private static final VarHandle POLLED;

  static {
    try {
      POLLED = MethodHandles.lookup().findVarHandle(QueueSlots.class, "polled", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Slots before it were freed by polling. Polling threads write it, one at a time, in the order of the completions, except for completions from before
   * a reset of the queue.
   */
  private long polled;
  /** Slots before it were freed without a completion. The hardware thread writes it. */
  private volatile long forgotten;

  /**
   * Frees slots after a completion was polled. Its place in the completion queue is already free. The release order ensures that a thread that sees the
   * slot free also finds room there. A completion of a request posted before a reset of the queue changes nothing.
   */
  public void polled(long before) {
    if (before > polled) {
      POLLED.setRelease(this, before);
    }
  }

  /** Frees slots whose completions will never be polled, because the queue was reset or a completion was lost for lack of room. */
  public void forget(long before) {
    forgotten = before;
  }

  /** The slots before this counter may be used again. Any thread. */
  public long freed() {
    return Math.max((long) POLLED.getAcquire(this), forgotten);
  }
}
