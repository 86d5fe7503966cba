package dev.weft.lab.sim.pager;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.time.Marks;

/** Runs seeds of the cluster simulation. One thread; the thread that calls is the one that everything happens on. */
public final class ClusterSimulation {
  /** The settings of this machine are none of a seed's business. */
  private final Config reference = ConfigFactory.defaultReference();

  /**
   * One run. Same seed and options: same result, in any JVM.
   *
   * @return what happened; an actor that failed or a run that did not end is a violation too
   * @throws IllegalStateException if what the seed draws cannot even be set up
   */
  public ClusterResult run(long seed, ClusterOptions options) {
    try (ClusterRun run = setUp(seed, options, false)) {
      return run.execute(new Marks());
    }
  }

  /** One run with its message sequence chart: the last {@code lines} lines before the first violation. */
  public String chart(long seed, ClusterOptions options, int lines) {
    try (ClusterRun run = setUp(seed, options, true)) {
      run.execute(new Marks());
      return run.chartText(lines);
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
