package dev.weft.tripwire.via;

import org.agrona.concurrent.OneToOneConcurrentArrayQueue;

/**
 * Reports completed descriptors of many VIs in one place; after the report, the descriptor can be taken from its work queue. One thread takes
 * entries. It never overflows: a VI is attached only if there is room for all of its descriptors.
 */
public final class CompletionQueue {
  /** One more descriptor in a work queue of a VI is done. */
  public record Entry(Vi vi, boolean isReceive) {}

  private final int capacity;
  private final Waiter waiter;
  private final OneToOneConcurrentArrayQueue<Entry> entries;
  private int reserved;

  CompletionQueue(int capacity, Waiter waiter) {
    this.capacity = capacity;
    this.waiter = waiter;
    entries = new OneToOneConcurrentArrayQueue<>(capacity);
  }

  synchronized void reserve(int descriptors) {
    if (reserved + descriptors > capacity) {
      throw new ViaException(ViaResult.ERROR_RESOURCE, "a completion queue of " + capacity + " entries, " + reserved
          + " of them spoken for, has no room for " + descriptors + " more");
    }
    reserved += descriptors;
  }

  synchronized void giveBack(int descriptors) {
    reserved -= descriptors;
  }

  /** Whether work queues are attached. */
  synchronized boolean isUsed() {
    return reserved > 0;
  }

  /** Hardware thread. */
  void add(Vi vi, boolean isReceive) {
    if (!entries.offer(new Entry(vi, isReceive))) {
      throw new IllegalStateException("a completion queue of " + capacity + " entries is full");
    }
    waiter.wake();
  }

  /** The oldest entry, or null (VipCQDone). */
  public Entry done() {
    Entry entry = entries.poll();
    if (entry != null) {
      entry.vi().queue(entry.isReceive()).announce();
    }
    return entry;
  }

  /** The oldest entry; waits, and returns null after {@code maxNs} (VipCQWait). */
  public Entry await(long maxNs) {
    return waiter.await(() -> !entries.isEmpty(), maxNs) ? done() : null;
  }
}
