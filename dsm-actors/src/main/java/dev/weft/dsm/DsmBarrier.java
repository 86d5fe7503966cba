package dev.weft.dsm;

/** Where a number of threads of all nodes meet, again and again. */
public interface DsmBarrier {
  /** Threads that meet. */
  int parties();

  /**
   * Waits until as many threads as there are parties have called it.
   *
   * @throws NodeLostException in all of them, if a node was lost one of whose threads had come, or that knew of the barrier
   * @throws IllegalStateException if this thread was interrupted, or this node left; it counts as come all the same
   */
  void await();
}
