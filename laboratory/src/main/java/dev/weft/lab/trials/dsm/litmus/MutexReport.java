package dev.weft.lab.trials.dsm.litmus;

/**
 * The result of a run of mutual exclusion.
 *
 * @param algorithm the algorithm
 * @param placement places of its words
 * @param threads number of threads
 * @param entries entries of all threads into the critical section
 * @param intrusions how often a thread inside saw another one inside
 * @param lost entries missing in the counter, which each thread increments inside
 * @param stuck threads that gave up because they waited too long
 */
public record MutexReport(MutexAlgorithm algorithm, Placement placement, int threads, long entries, long intrusions, long lost, int stuck) {
  /** Whether the threads excluded each other, and none waited too long. */
  public boolean holds() {
    return intrusions == 0 && lost == 0 && stuck == 0;
  }

  /** A line for users. */
  @Override
  public String toString() {
    return algorithm + " " + placement + ": " + threads + " threads, " + entries + " entries, " + intrusions + " intrusions seen, " + lost
        + " increments lost, " + stuck + " threads stuck" + (holds() ? "" : ": VIOLATED");
  }
}
