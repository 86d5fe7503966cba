package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.FaultWorkload;
import dev.weft.lab.kit.Names;
import java.util.List;
import java.util.Map;

/** Shared memory: threads of several nodes with random programs. */
public final class DsmWorkload extends FaultWorkload<DsmOptions> {
  public DsmWorkload() {
    super("dsm", "threads of several nodes in shared memory", DsmOptions.SWARM, DsmOptions.PARAMETERS, DsmRun::new, DsmBugs.ALL);
  }

  @Override
  public List<String> operations() {
    return Names.of(OpKind.values());
  }

  @Override
  public List<String> checkers() {
    return List.of("WordHistories: each word, and each block that is written at once, is linearizable",
        "RightsCheck: after each message a minipage has one writer or some readers; what a dead node cannot have had is not lost",
        "SyncCheck: one thread has a lock, no addition under it is lost, the death of its holder is told; all come to a barrier before one leaves",
        "ReleaseCheck, with --consistency release: a holder of a lock sees what the last one has left, and who leaves a barrier what all wrote before",
        "WatchDog: no role stops by itself",
        "liveness: after the faults each program ends, and then each node can change each word that is not lost");
  }

  @Override
  public Map<String, Long> marks() {
    return new DsmCounts().marks().counts();
  }

  /** Thousands of nodes are lost. */
  @Override
  public List<String> noise() {
    return List.of("dev.weft.dsm");
  }
}
