package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.FaultWorkload;
import java.util.List;
import java.util.Map;

/** Litmus shapes on shared memory: a seed plays one of them, in one placement, on two to four nodes. */
public final class LitmusWorkload extends FaultWorkload<LitmusOptions> {
  public LitmusWorkload() {
    super("dsm-litmus", "litmus shapes on shared memory", LitmusOptions.SWARM, LitmusOptions.PARAMETERS, LitmusSeed::new, DsmBugs.OF_LITMUS);
  }

  @Override
  public List<String> operations() {
    return List.of(LitmusSeed.ROUND, LitmusSeed.OUTCOME);
  }

  @Override
  public List<String> checkers() {
    return List.of("Outcomes: no round has an outcome that sequential consistency forbids",
        "liveness: after the faults all threads end");
  }

  @Override
  public Map<String, Long> marks() {
    return Map.of();
  }

  @Override
  public List<String> noise() {
    return List.of("dev.weft.dsm");
  }
}
