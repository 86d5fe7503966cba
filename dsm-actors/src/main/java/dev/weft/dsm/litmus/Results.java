package dev.weft.dsm.litmus;

/** Where threads put what they saw, a row for each instance of a batch; the first thread counts those of one batch when all have played the next. */
interface Results {
  /** The rows of a batch for a thread to fill its cells in. */
  long[] toFill(int thread, long batch);

  /** The thread has filled all its cells of that batch; it comes to a barrier next. */
  void filled(int thread, long batch);

  /** All rows of a batch. Of the first thread, after a barrier that all reached when they had filled theirs. */
  long[] all(long batch);
}
