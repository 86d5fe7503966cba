package dev.weft.dsm;

import java.time.Duration;
import java.util.Optional;

/** A lock that threads of all nodes share; not reentrant. Waiting threads get it in the order in which their nodes asked for it. */
public interface DsmLock {
  /** How a thread acquired the lock. */
  enum Acquired {
    /** The last holder released it. */
    RELEASED,
    /** The last holder's node was lost, or may have been: the data that the lock protects may be half changed. */
    HOLDER_LOST
  }

  /**
   * Waits until this thread has the lock.
   *
   * @throws IllegalStateException if this thread has the lock already, or is interrupted while it waits; an interrupted thread still acquires a
   *     lock that is free
   */
  Acquired acquire();

  /** Waits for at most {@code max}; empty if this thread did not get the lock. */
  Optional<Acquired> tryAcquire(Duration max);

  /** Releases the lock. Throws IllegalStateException if this thread does not have it. */
  void release();
}
