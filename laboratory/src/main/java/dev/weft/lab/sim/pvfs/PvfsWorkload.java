package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.SeededSimulation;
import dev.weft.lab.kit.Simulation;
import dev.weft.lab.kit.Workload;
import java.util.List;
import java.util.Map;

/** Whole file systems: a manager, I/O daemons, and clients with random programs. */
public final class PvfsWorkload implements Workload<PvfsOptions> {
  @Override
  public String name() {
    return "pvfs";
  }

  @Override
  public String title() {
    return "a parallel file system with several clients";
  }

  @Override
  public List<Parameter> parameters() {
    return PvfsOptions.PARAMETERS;
  }

  @Override
  public PvfsOptions options(Given given) {
    return PvfsOptions.of(given);
  }

  @Override
  public Simulation<PvfsOptions> simulation() {
    return new SeededSimulation<>(PvfsRun::new);
  }

  @Override
  public List<String> operations() {
    return Names.of(OpKind.values());
  }

  @Override
  public List<String> faults() {
    return PvfsOptions.KNOWN.stream().map(FaultClass::name).toList();
  }

  @Override
  public List<String> checkers() {
    return List.of("FileHistory: each cell of a file shows what was written last, or something beside it; lengths likewise",
        "ToldLosses: a sync says when changes that were answered before may be lost, and no other sync does",
        "LockHistory: what one program has locked for itself no other has, over crashes of clients and the manager",
        "Forger: daemons give no data to who shows no right capability, and change nothing for it",
        "NameHistory: some order of all that was asked of the name space explains the answers, over crashes of the manager",
        "PvfsAudit: credits, registrations, sessions, connections, locks and the memory of files that are gone are all given back",
        "errors: only what a fault explains",
        "WatchDog: no role stops by itself",
        "liveness: after the faults each program ends");
  }

  @Override
  public List<PlantedBug> plantedBugs() {
    return PvfsBugs.ALL;
  }

  @Override
  public List<PlantedBug> rareBugs() {
    return PvfsBugs.RARE;
  }

  @Override
  public Map<String, Long> marks() {
    return new PvfsMarks().marks().counts();
  }

  /** Thousands of connections are lost. */
  @Override
  public List<String> noise() {
    return List.of("dev.weft.pvfs");
  }
}
