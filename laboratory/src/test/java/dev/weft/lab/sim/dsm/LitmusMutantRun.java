package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.Simulation;
import java.util.List;
import java.util.function.LongFunction;

/** As {@link MutantRun}, with litmus shapes. */
final class LitmusMutantRun implements LongFunction<List<String>> {
  private final Simulation<LitmusOptions> simulation = new LitmusWorkload().simulation();

  @Override
  public List<String> apply(long seed) {
    return simulation.run(seed, LitmusOptions.SWARM.with("--rounds", 32)).violations();
  }
}
