package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.FaultWorkload;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.PlantedBug;
import java.util.List;
import java.util.Map;

/** Whole file systems: a manager, I/O daemons, and clients with random programs. */
public final class PvfsWorkload extends FaultWorkload<PvfsOptions> {
  public PvfsWorkload() {
    super("pvfs", "a parallel file system with several clients", PvfsOptions.SWARM, PvfsOptions.PARAMETERS, PvfsRun::new, PvfsBugs.ALL);
  }

  @Override
  public List<String> operations() {
    return Names.of(OpKind.values());
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
