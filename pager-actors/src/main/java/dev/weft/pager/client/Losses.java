package dev.weft.pager.client;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many areas that held acknowledged data a device has lost, and who knows. As with Linux' {@code errseq_t}: every reader is told
 * once of each loss, and one that comes later is told of those only that nobody has been told of. Any thread.
 */
final class Losses {
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();

  /** One more area is lost. */
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

    /** Whether there are losses that this reader was not told of; it is told hereby. */
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
