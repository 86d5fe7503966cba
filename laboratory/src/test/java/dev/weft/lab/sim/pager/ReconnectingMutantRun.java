package dev.weft.lab.sim.pager;

import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Simulation;
import java.util.List;
import java.util.function.LongFunction;

/** As {@link MutantRun}, with nothing but what makes connections break while packets of theirs are late. */
final class ReconnectingMutantRun implements LongFunction<List<String>> {
  private final Simulation<ClusterOptions> simulation = new PagerWorkload().simulation();
  private final ClusterOptions options = ClusterOptions.SWARM.withFaults(FaultClass.parse("connection-loss,reordering,duplication"));

  @Override
  public List<String> apply(long seed) {
    return simulation.run(seed, options).violations();
  }
}
