package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Simulation;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/** As {@link MutantRun}, with programs that use release consistency. */
final class ReleaseMutantRun implements LongFunction<List<String>> {
  /** What lets a message to one node come before an earlier one to another node. */
  private static final Set<FaultClass> DELAYS = EnumSet.of(FaultClass.LOSS, FaultClass.REORDERING);

  private final Simulation<DsmOptions> simulation = new DsmWorkload().simulation();

  @Override
  public List<String> apply(long seed) {
    DsmOptions released = DsmOptions.SWARM.with("--consistency", "release");
    return simulation.run(seed, seed % 2 == 0 ? released.withFaults(DELAYS) : released).violations();
  }
}
