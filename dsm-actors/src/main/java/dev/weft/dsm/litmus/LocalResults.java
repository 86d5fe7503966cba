package dev.weft.dsm.litmus;

import java.util.concurrent.atomic.AtomicLong;

/** Arrays of this JVM, where all threads are in it: nothing goes through the memory that is tested. */
final class LocalResults implements Results {
  private final String name;
  private final int parties;
  private final long[][] rows;

  /** Batches that were filled, over all threads: what a thread wrote into the rows before is seen by who reads this. */
  private final AtomicLong ended = new AtomicLong();

  LocalResults(String name, int parties, int cells) {
    this.name = name;
    this.parties = parties;
    this.rows = new long[2][cells];
  }

  @Override
  public long[] toFill(int thread, long batch) {
    return rows[(int) (batch & 1)];
  }

  @Override
  public void filled(int thread, long batch) {
    ended.incrementAndGet();
  }

  @Override
  public long[] all(long batch) {
    if (ended.get() < parties * (batch + 1)) {
      throw new IllegalStateException(name + ": a barrier was left before all " + parties + " threads had come to it");
    }
    return rows[(int) (batch & 1)];
  }
}
