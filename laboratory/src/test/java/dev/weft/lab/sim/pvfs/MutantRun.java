package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Simulation;
import java.util.List;
import java.util.function.LongFunction;

/** The way from a test into a {@link dev.weft.lab.kit.Mutant}: only types of the JDK pass between the two class loaders. */
final class MutantRun implements LongFunction<List<String>> {
  private final Simulation<PvfsOptions> simulation = new PvfsWorkload().simulation();

  @Override
  public List<String> apply(long seed) {
    return simulation.run(seed, PvfsOptions.SWARM).violations();
  }
}
