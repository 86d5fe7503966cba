package dev.weft.dsm;

import java.time.Duration;

/**
 * A condition variable of a {@link DsmLock}. A waiting thread may wake without a signal, so it must check its condition again. A wait that throws has
 * acquired the lock again too, unless the lock itself is lost. A wait throws {@link NodeLostException} if the home of the condition was lost, or a
 * node that had the lock meanwhile.
 */
public interface DsmCondition {
  /** Releases the lock, waits for a signal, and acquires the lock again. Throws IllegalStateException if this thread does not have the lock. */
  void await();

  /** Waits as {@link #await()}, for at most {@code max}; returns false if no signal came. */
  boolean await(Duration max);

  /** Wakes one waiting thread, if any. Throws IllegalStateException if the caller does not have the lock. */
  void signal();

  /** Wakes all waiting threads. Throws IllegalStateException if the caller does not have the lock. */
  void signalAll();
}
