package dev.weft.dsm;

import java.time.Duration;
import java.util.Optional;

/** A lock of all threads of all nodes; not reentrant. Who waits is served in the order in which its node asked. */
public interface DsmLock {
  /** How it was acquired. */
  enum Acquired {
    /** Its last holder has released it. */
    RELEASED,
    /** Its last holder was lost with its node, or may have been: what the lock protects may be half done. */
    HOLDER_LOST
  }

  /**
   * Waits until this thread has the lock.
   *
   * @throws IllegalStateException if this thread has it already, or is interrupted while it waits; a lock that is free is acquired all the same
   */
  Acquired acquire();

  /** The same for at most {@code max}; empty if it did not get it. */
  Optional<Acquired> tryAcquire(Duration max);

  /** Gives it back; IllegalStateException if this thread does not have it. */
  void release();
}
