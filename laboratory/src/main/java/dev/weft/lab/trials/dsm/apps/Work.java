package dev.weft.lab.trials.dsm.apps;

/**
 * One worker's part of one run of an application. All workers call {@link #prepare}, {@link #run} and {@link #gather} in this order. Each call
 * returns when all workers have finished it, so a caller that measures takes the time around {@link #run}. Exceptions of shared memory pass through.
 */
public interface Work {
  /** Fills the shared input. */
  void prepare();

  /** Does the measured work. */
  void run();

  /** Puts data for verification, and data that workers have kept local, into shared memory. */
  void gather();

  /** Verifies the result; one worker calls it, after {@link #gather}. It reads shared memory and changes nothing. */
  Outcome outcome();

  /** Frees the arrays; one worker calls it, last of all. */
  void free();
}
