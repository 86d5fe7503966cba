package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.FaultWorkload;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.RecoveryMarks;
import java.util.List;
import java.util.Map;

/** Clients that append to the same files, and are cut off from the manager for longer than it keeps their locks. */
public final class AppendWorkload extends FaultWorkload<AppendOptions> {
  public AppendWorkload() {
    super("pvfs-appends", "clients that append to the same files", AppendOptions.SWARM, AppendOptions.PARAMETERS, AppendRun::new, PvfsBugs.OF_APPENDS);
  }

  @Override
  public List<String> operations() {
    return Names.of(AppendRun.Outcome.values());
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
  public Map<String, Long> marks() {
    return RecoveryMarks.none().counts();
  }

  /** Hundreds of connections are lost. */
  @Override
  public List<String> noise() {
    return List.of("dev.weft.pvfs");
  }
}
