package dev.weft.lab.sim.rc;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs a range of seeds, and five in a hundred of them twice, to see that a run depends on nothing but its seed. One thread.
 *
 * <p>A run that is repeated follows one that left other things in memory, so the two differ if anything but the seed matters.
 */
public final class SimulationRunner {
  private static final int REPEAT_EVERY = 20;
  private static final int FAILURES_KEPT_MAX = 100;

  private final SimulationOptions options;
  private final RcSimulation simulation = new RcSimulation();

  public SimulationRunner(SimulationOptions options) {
    this.options = options;
  }

  /**
   * Runs {@code first} to {@code last}, both included.
   *
   * @param progress told after each seed, on the calling thread; it may throw to end the run
   * @throws IllegalArgumentException if {@code last} is before {@code first}
   */
  public SimulationReport run(long first, long last, Consumer<SimulationResult> progress) {
    return run(first, last, () -> false, progress, failure -> {});
  }

  /**
   * Runs {@code first} to {@code last}, both included, or until {@code enough} says so.
   *
   * @param progress told after each seed, on the calling thread
   * @param failed told of each failure when it happens, before the progress
   * @throws IllegalArgumentException if {@code last} is before {@code first}
   */
  public SimulationReport run(long first, long last, BooleanSupplier enough, Consumer<SimulationResult> progress,
      Consumer<SimulationReport.Failure> failed) {
    if (last < first) {
      throw new IllegalArgumentException("the range of seeds " + first + ".." + last + " is empty; give the smaller one first");
    }
    SimulationReport.Builder report = new SimulationReport.Builder(options, FAILURES_KEPT_MAX, failed);
    for (long seed = first; ; seed++) {
      SimulationResult result = simulation.run(seed, options);
      if (Math.floorMod(seed, REPEAT_EVERY) == 0) {
        SimulationResult again = simulation.run(seed, options);
        report.addRepeated(result, again);
      }
      report.add(result);
      progress.accept(result);
      if (seed == last || enough.getAsBoolean()) {
        return report.build();
      }
    }
  }

  /** The command that runs one seed again. */
  public String replayCommand(long seed) {
    return SimulationReport.replayCommand(seed, options);
  }
}
