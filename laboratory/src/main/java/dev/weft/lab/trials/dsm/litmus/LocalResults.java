package dev.weft.lab.trials.dsm.litmus;

import java.util.concurrent.atomic.AtomicLong;

/** Results in arrays of this JVM, for threads that are all in it: no result goes through the memory under test. */
final class LocalResults implements Results {
  private final String name;
  private final int parties;
  private final long[][] rows;

  /** Number of filled batches of all threads. A thread that reads it sees what other threads wrote into the rows before. */
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
