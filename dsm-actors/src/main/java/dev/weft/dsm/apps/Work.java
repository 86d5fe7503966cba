package dev.weft.dsm.apps;

/**
 * One worker's part of one run of an application. All workers call {@link #prepare}, {@link #run} and {@link #gather} in this order; each
 * returns when all have done theirs, so that a caller that measures takes the time around {@link #run}. Whatever shared memory throws
 * comes through.
 */
public interface Work {
  /** Fills the shared input. */
  void prepare();

  /** What is measured. */
  void run();

  /** Puts what verification needs, and what workers kept to themselves so far, into shared memory. */
  void gather();

  /** Verifies the result; one worker calls it, after {@link #gather}. It reads shared memory and changes nothing. */
  Outcome outcome();

  /** Gives the arrays back; one worker calls it, last of all. */
  void free();
}
