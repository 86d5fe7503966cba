package dev.weft.hca.completion;

import dev.weft.hca.verbs.CompletionCounter;
import java.util.concurrent.atomic.AtomicLong;

/** A completion counter: counts of successes and errors, and the number of its attachments. */
public final class CompCounter implements CompletionCounter {

  /** The collection of counters of its HCA. */
  final CompletionCounters owner;
  private final int number;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  /** Number of its attachments to operations of queue pairs and, below, whether it is destroyed. Hardware thread. */
  int useCount;
  boolean destroyed;

  CompCounter(CompletionCounters owner, int number) {
    this.owner = owner;
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public long count() {
    return count.get();
  }

  @Override
  public long errorCount() {
    return errors.get();
  }

  @Override
  public void add(long delta) {
    count.addAndGet(delta);
  }

  @Override
  public void set(long newCount, long newErrors) {
    count.set(newCount);
    errors.set(newErrors);
  }

  void completed(boolean success) {
    (success ? count : errors).getAndIncrement();
  }
}
