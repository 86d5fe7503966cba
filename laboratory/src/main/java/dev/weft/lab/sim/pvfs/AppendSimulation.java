package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds of clients that append. */
final class AppendSimulation implements Simulation<AppendOptions> {
  @Override
  public Result run(long seed, AppendOptions options) {
    try (AppendRun run = setUp(seed, options, false)) {
      return run.execute();
    }
  }

  @Override
  public String chart(long seed, AppendOptions options, int lines) {
    try (AppendRun run = setUp(seed, options, true)) {
      run.execute();
      return run.chartText(lines);
    }
  }

  private static AppendRun setUp(long seed, AppendOptions options, boolean charted) {
    try {
      return new AppendRun(seed, options, charted);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
