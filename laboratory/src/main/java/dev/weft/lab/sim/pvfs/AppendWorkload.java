package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.SeededSimulation;
import dev.weft.lab.kit.Simulation;
import dev.weft.lab.kit.Workload;
import java.util.List;
import java.util.Map;

/** Clients that append to the same files, and are cut off from the manager for longer than it keeps their locks. */
public final class AppendWorkload implements Workload<AppendOptions> {
  @Override
  public String name() {
    return "pvfs-appends";
  }

  @Override
  public String title() {
    return "clients that append to the same files";
  }

  @Override
  public List<Parameter> parameters() {
    return AppendOptions.PARAMETERS;
  }

  @Override
  public AppendOptions options(Given given) {
    return AppendOptions.of(given);
  }

  @Override
  public Simulation<AppendOptions> simulation() {
    return new SeededSimulation<>(AppendRun::new);
  }

  @Override
  public List<String> operations() {
    return Names.of(AppendRun.Outcome.values());
  }

  @Override
  public List<String> faults() {
    return AppendOptions.KNOWN.stream().map(FaultClass::name).toList();
  }

  @Override
  public List<String> checkers() {
    return List.of("AppendHistory: an append that was answered is in the file, whole, where the answer said, over none of another one, behind what was before",
        "AppendHistory: holes, and what nobody was told of, only where an append has failed",
        "errors: an append fails only where a node or a connection has suffered",
        "locks: when all clients have closed the files, another one can append; where no append has failed, no lock is left",
        "WatchDog: no role stops by itself",
        "liveness: after the faults each program ends");
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return PvfsBugs.OF_APPENDS;
  }

  @Override
  public Map<String, Long> marks() {
    return RecoveryMarks.none().counts();
  }

  /** Hundreds of connections are lost. */
  @Override
  public List<String> noise() {
    return List.of("dev.weft.pvfs");
  }
}
