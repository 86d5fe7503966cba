package dev.weft.lab.sim.rc;

/**
 * Runs seeds one after another, reusing memory. One thread; the thread that calls {@link #run} is the one that everything happens on.
 */
public final class RcSimulation {
  private final SimulationMemory memory = new SimulationMemory();

  /**
   * One run. Same seed and options: same result, in any JVM.
   *
   * @return what happened; an actor that failed or a run that did not end is a violation too
   * @throws IllegalStateException if what the seed draws cannot even be set up
   */
  public SimulationResult run(long seed, SimulationOptions options) {
    memory.reset();
    try (SimRun run = setUp(seed, options)) {
      return run.execute();
    }
  }

  private SimRun setUp(long seed, SimulationOptions options) {
    try {
      return new SimRun(seed, options, memory);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
