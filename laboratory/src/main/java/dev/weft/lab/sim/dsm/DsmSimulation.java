package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds of the simulation of shared memory. */
final class DsmSimulation implements Simulation<DsmOptions> {
  @Override
  public Result run(long seed, DsmOptions options) {
    try (DsmRun run = setUp(seed, options, false)) {
      return run.execute();
    }
  }

  @Override
  public String chart(long seed, DsmOptions options, int lines) {
    try (DsmRun run = setUp(seed, options, true)) {
      run.execute();
      return run.stage().chartText(lines);
    }
  }

  private static DsmRun setUp(long seed, DsmOptions options, boolean charted) {
    try {
      return new DsmRun(seed, options, charted);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
