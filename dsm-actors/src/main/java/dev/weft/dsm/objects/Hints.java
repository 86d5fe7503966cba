package dev.weft.dsm.objects;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the waiting prefetches and pushes of a node's threads. Each is done in slices, after the messages that wait by then, so that faults get
 * their turn.
 */
public final class Hints {
  /** Limit; further hints are dropped. */
  static final int WAITING_MAX = 64;
  /** Minipages in a slice. */
  public static final int SLICE = 64;

  private final AtomicInteger waiting = new AtomicInteger();

  /** Returns false if the limit is reached. Any thread. */
  boolean begin() {
    if (waiting.incrementAndGet() <= WAITING_MAX) {
      return true;
    }
    waiting.decrementAndGet();
    return false;
  }

  /** The last slice of a hint is done. */
  public void end() {
    waiting.decrementAndGet();
  }
}
