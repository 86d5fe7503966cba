package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds of the simulation of file systems. */
final class PvfsSimulation implements Simulation<PvfsOptions> {
  @Override
  public Result run(long seed, PvfsOptions options) {
    try (PvfsRun run = setUp(seed, options, false)) {
      return run.execute();
    }
  }

  @Override
  public String chart(long seed, PvfsOptions options, int lines) {
    try (PvfsRun run = setUp(seed, options, true)) {
      run.execute();
      return run.stage().chartText(lines);
    }
  }

  private static PvfsRun setUp(long seed, PvfsOptions options, boolean charted) {
    try {
      return new PvfsRun(seed, options, charted);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
