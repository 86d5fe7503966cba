package dev.weft.lab.kit;

/**
 * Runs seeds of a workload one after another. One thread; the thread that calls is the one that everything happens on.
 *
 * @param <O> what is not left to the seed
 */
public interface Simulation<O extends RunOptions<O>> {
  /**
   * One run. Same seed and options: same result, in any JVM.
   *
   * @return what happened; an actor that failed or a run that did not end is a violation too
   * @throws IllegalStateException if what the seed draws cannot even be set up
   */
  Result run(long seed, O options);

  /** One run with its message sequence chart: the last {@code lines} lines before the first violation. */
  String chart(long seed, O options, int lines);
}
