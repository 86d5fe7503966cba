package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.SeededSimulation;
import dev.weft.lab.kit.Simulation;
import dev.weft.lab.kit.Workload;
import java.util.List;
import java.util.Map;

/** Litmus shapes on shared memory: a seed plays one of them, in one placement, on two to four nodes. */
public final class LitmusWorkload implements Workload<LitmusOptions> {
  @Override
  public String name() {
    return "dsm-litmus";
  }

  @Override
  public String title() {
    return "litmus shapes on shared memory";
  }

  @Override
  public List<Parameter> parameters() {
    return LitmusOptions.PARAMETERS;
  }

  @Override
  public LitmusOptions options(Given given) {
    return LitmusOptions.of(given);
  }

  @Override
  public Simulation<LitmusOptions> simulation() {
    return new SeededSimulation<>(LitmusSeed::new);
  }

  @Override
  public List<String> operations() {
    return List.of(LitmusSeed.ROUND, LitmusSeed.OUTCOME);
  }

  @Override
  public List<String> faults() {
    return LitmusOptions.KNOWN.stream().map(FaultClass::name).toList();
  }

  @Override
  public List<String> checkers() {
    return List.of("Outcomes: no round has an outcome that sequential consistency forbids",
        "liveness: after the faults all threads end");
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return DsmBugs.OF_LITMUS;
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
