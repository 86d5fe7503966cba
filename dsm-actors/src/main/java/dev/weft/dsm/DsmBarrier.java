package dev.weft.dsm;

/** A barrier for a fixed number of threads of all nodes; it can be used again and again. */
public interface DsmBarrier {
  /** Number of threads that meet. */
  int parties();

  /**
   * Waits until {@link #parties} threads have called this method.
   *
   * @throws NodeLostException in all waiting threads, if a lost node was the home of the barrier or had a thread that waited here
   * @throws IllegalStateException if this thread was interrupted, or this node left; the barrier counts the thread all the same
   */
  void await();
}
