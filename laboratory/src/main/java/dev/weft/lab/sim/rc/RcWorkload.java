package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.SeededSimulation;
import dev.weft.lab.kit.Simulation;
import dev.weft.lab.kit.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The transport alone, with every verb and service. */
public final class RcWorkload implements Workload<SimulationOptions> {
  @Override
  public String name() {
    return "rc";
  }

  @Override
  public String title() {
    return "the transport alone, with every verb and service";
  }

  @Override
  public List<Parameter> parameters() {
    return SimulationOptions.PARAMETERS;
  }

  @Override
  public SimulationOptions options(Given given) {
    return SimulationOptions.of(given);
  }

  @Override
  public Simulation<SimulationOptions> simulation() {
    SimulationMemory memory = new SimulationMemory();
    return new SeededSimulation<>((seed, options, charted) -> {
      memory.reset();
      return new SimRun(seed, options, memory, charted);
    });
  }

  @Override
  public List<String> operations() {
    return Names.of(WrOpcode.values());
  }

  @Override
  public List<String> faults() {
    return List.of(FaultClass.LOSS.name(), FaultClass.DUPLICATION.name(), FaultClass.REORDERING.name(), FaultClass.CORRUPTION.name(),
        FaultClass.PARTITION.name());
  }

  @Override
  public List<String> checkers() {
    return List.of("Inbox: each message arrives once, in order, with its bytes, and writes nothing else",
        "SimEnd: each signaled request completes once, in order; reads bring what fences guarantee",
        "AtomicWord: the originals of atomics are those of one serial order",
        "SideFlow: messages of UC and UD, shared receive queues, windows, flushes and counters",
        "Audit: no completion lost, each atomic executed once, all credits and buffers back",
        "liveness: after the faults a request takes at most ten times its longest wait");
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return RcBugs.ALL;
  }

  @Override
  public Map<String, Long> marks() {
    return new LinkedHashMap<>();
  }
}
