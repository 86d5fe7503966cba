package dev.weft.pager.client;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the areas with acknowledged data that a device has lost, and tracks which readers know of them. As with Linux' {@code errseq_t}, each loss is
 * reported once to each reader; a later reader gets only the losses that no reader has been told of. Any thread.
 */
final class Losses {
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();

  /** Counts a lost area. */
  void add() {
    count.getAndIncrement();
  }

  Reader reader() {
    return new Reader(told.get());
  }

  /** One consumer of the device. */
  final class Reader {
    private final AtomicInteger known;

    private Reader(int known) {
      this.known = new AtomicInteger(known);
    }

    /** Whether there are losses that were not reported to this reader; this call reports them. */
    boolean isNews() {
      int now = count.get();
      if (known.getAndAccumulate(now, Math::max) >= now) {
        return false;
      }
      told.accumulateAndGet(now, Math::max);
      return true;
    }
  }
}
