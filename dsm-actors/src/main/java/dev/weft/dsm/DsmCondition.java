package dev.weft.dsm;

import java.time.Duration;

/**
 * A condition variable of a {@link DsmLock}. A thread that waits may be woken without a signal; it looks at its condition again. It
 * has the lock again also where waiting throws, unless the lock itself is lost. It throws a {@link NodeLostException} where a node was lost that knew
 * of it, or that had the lock meanwhile.
 */
public interface DsmCondition {
  /** Releases the lock, waits for a signal, acquires the lock again. IllegalStateException if this thread does not have the lock. */
  void await();

  /** The same for at most {@code max}; false if no signal came. */
  boolean await(Duration max);

  /** Wakes one of those that wait, if any. The caller has the lock, or IllegalStateException. */
  void signal();

  /** Wakes all of those that wait. The caller has the lock, or IllegalStateException. */
  void signalAll();
}
