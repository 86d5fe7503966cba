package dev.weft.lab.trials.dsm.litmus;

/**
 * Collects what threads saw, a row for each instance of a batch. The first thread counts the rows of a batch when all threads have played the next
 * one.
 */
interface Results {
  /** The rows of a batch in which a thread fills its cells. */
  long[] toFill(int thread, long batch);

  /** The thread has filled all its cells of the batch; it goes to a barrier next. */
  void filled(int thread, long batch);

  /** All rows of a batch. Called by the first thread, after a barrier that all reached when they had filled theirs. */
  long[] all(long batch);
}
