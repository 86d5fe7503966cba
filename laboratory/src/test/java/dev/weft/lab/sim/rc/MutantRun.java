package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.Simulation;
import java.util.List;
import java.util.function.LongFunction;

/** The way from a test into a {@link Mutant}: only types of the JDK pass between the two class loaders. */
final class MutantRun implements LongFunction<List<String>> {
  private final Simulation<SimulationOptions> simulation = new RcWorkload().simulation();

  @Override
  public List<String> apply(long seed) {
    return simulation.run(seed, SimulationOptions.SWARM).violations();
  }
}
