package dev.weft.lab.sim.pvfs;

import java.util.List;
import java.util.function.LongFunction;

/** As {@link MutantRun}, with clients that append. */
final class AppendMutantRun implements LongFunction<List<String>> {
  private final AppendSimulation simulation = new AppendSimulation();

  @Override
  public List<String> apply(long seed) {
    return simulation.run(seed, AppendOptions.SWARM).violations();
  }
}
