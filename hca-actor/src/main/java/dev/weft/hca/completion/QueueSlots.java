package dev.weft.hca.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which slots of a send or receive queue are free again, by counters that only grow: all before {@link #freed}. A slot comes back when the
 * completion of its request, or of a later one of the queue, is polled. So there are never more completions than the queues of a completion
 * queue have slots, and one with room for them all cannot overrun. Small, because a completion that lies in a ring refers to it, also
 * when its queue pair is gone.
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

  /** Written by who polls: one thread at a time, in the order of the completions, unless those of a former life of the queue follow. */
  private long polled;
  /** Slots before it came back without a completion. Written by the hardware thread. */
  private volatile long forgotten;

  /**
   * A completion was polled, and its place in the completion queue is free already: whoever sees the slot free must find room there too,
   * hence release. One that was posted before the queue was reset changes nothing.
   */
  public void polled(long before) {
    if (before > polled) {
      POLLED.setRelease(this, before);
    }
  }

  /** The queue was reset, or a completion was lost because there was no room for it: nobody will poll what is before that counter. */
  public void forget(long before) {
    forgotten = before;
  }

  /** Slots before it may be used again. Any thread. */
  public long freed() {
    return Math.max((long) POLLED.getAcquire(this), forgotten);
  }
}
