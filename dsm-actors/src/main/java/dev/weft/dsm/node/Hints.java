package dev.weft.dsm.node;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Prefetches and pushes of threads that wait for their node: so many at a time, each done in slices behind what waits by then, so that faults get their
 * turn.
 */
final class Hints {
  /** Further ones are dropped. */
  static final int WAITING_MAX = 64;
  /** Minipages of a slice. */
  static final int SLICE = 64;

  /** Messages that wait for a connection, with which hints are dropped. */
  static final int BACKLOG_MAX = 1024;

  private final AtomicInteger waiting = new AtomicInteger();

  /** False if as many wait as may; by any thread. */
  boolean begin() {
    if (waiting.incrementAndGet() <= WAITING_MAX) {
      return true;
    }
    waiting.decrementAndGet();
    return false;
  }

  /** The last slice of one is done. */
  void end() {
    waiting.decrementAndGet();
  }
}
