package dev.weft.dsm.litmus;

/**
 * What threads that exclude each other showed.
 *
 * @param algorithm how they excluded each other
 * @param placement where its words lay
 * @param threads how many
 * @param entries how often one was inside, over all threads
 * @param intrusions how often a thread that was inside saw that another one was
 * @param lost entries that the counter, which each increments inside, has not
 * @param stuck threads that gave up because they waited longer than is allowed
 */
public record MutexReport(MutexAlgorithm algorithm, Placement placement, int threads, long entries, long intrusions, long lost, int stuck) {
  /** Whether they excluded each other, and none waited for ever. */
  public boolean holds() {
    return intrusions == 0 && lost == 0 && stuck == 0;
  }

  /** A line for a person. */
  @Override
  public String toString() {
    return algorithm + " " + placement + ": " + threads + " threads, " + entries + " entries, " + intrusions + " intrusions seen, " + lost
        + " increments lost, " + stuck + " threads stuck" + (holds() ? "" : ": VIOLATED");
  }
}
