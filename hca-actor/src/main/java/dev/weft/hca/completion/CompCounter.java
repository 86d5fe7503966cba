package dev.weft.hca.completion;

import dev.weft.hca.verbs.CompletionCounter;
import java.util.concurrent.atomic.AtomicLong;

/** Two numbers, and how often they are attached. */
public final class CompCounter implements CompletionCounter {

  /** The counters of the HCA that it belongs to. */
  final CompletionCounters owner;
  private final int number;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  /** Queue pairs and operations that it is attached to, and whether it is gone. Hardware thread. */
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
