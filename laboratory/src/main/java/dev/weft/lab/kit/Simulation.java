package dev.weft.lab.kit;

/**
 * Runs seeds of a workload one after another. One thread: everything happens on the calling thread.
 *
 * @param <O> type of the options
 */
public interface Simulation<O extends RunOptions<O>> {
  /**
   * Runs one seed. The same seed and options give the same result in any JVM.
   *
   * @return the result; a failed actor or a run that did not end is a violation, too
   * @throws IllegalStateException if the drawn scenario cannot be set up
   */
  Result run(long seed, O options);

  /** Runs one seed; returns the last {@code lines} lines of its message sequence chart before the first violation. */
  String chart(long seed, O options, int lines);
}
