package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Simulation;
import java.util.List;
import java.util.function.LongFunction;

/** As {@link MutantRun}, with clients that append. */
final class AppendMutantRun implements LongFunction<List<String>> {
  private final Simulation<AppendOptions> simulation = new AppendWorkload().simulation();

  @Override
  public List<String> apply(long seed) {
    return simulation.run(seed, AppendOptions.SWARM).violations();
  }
}
