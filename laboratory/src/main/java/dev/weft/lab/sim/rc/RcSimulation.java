package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds one after another, reusing memory. */
final class RcSimulation implements Simulation<SimulationOptions> {
  private final SimulationMemory memory = new SimulationMemory();

  @Override
  public Result run(long seed, SimulationOptions options) {
    try (SimRun run = setUp(seed, options, false)) {
      return run.execute();
    }
  }

  @Override
  public String chart(long seed, SimulationOptions options, int lines) {
    try (SimRun run = setUp(seed, options, true)) {
      run.execute();
      return run.chartText(lines);
    }
  }

  private SimRun setUp(long seed, SimulationOptions options, boolean charted) {
    memory.reset();
    try {
      return new SimRun(seed, options, memory, charted);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
