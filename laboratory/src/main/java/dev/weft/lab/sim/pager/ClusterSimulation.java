package dev.weft.lab.sim.pager;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.time.Marks;
import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds of the cluster simulation. */
final class ClusterSimulation implements Simulation<ClusterOptions> {
  /** The settings of this machine are none of a seed's business. */
  private final Config reference = ConfigFactory.defaultReference();

  @Override
  public Result run(long seed, ClusterOptions options) {
    try (ClusterRun run = setUp(seed, options, false)) {
      return run.execute(new Marks());
    }
  }

  @Override
  public String chart(long seed, ClusterOptions options, int lines) {
    try (ClusterRun run = setUp(seed, options, true)) {
      run.execute(new Marks());
      return run.stage().chartText(lines);
    }
  }

  private ClusterRun setUp(long seed, ClusterOptions options, boolean charted) {
    try {
      return new ClusterRun(seed, options, reference, charted);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
