package dev.weft.lab.sim.pager;

import com.typesafe.config.ConfigFactory;
import dev.weft.lab.kit.FaultWorkload;
import dev.weft.lab.kit.Names;
import dev.weft.pager.PagerMark;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A whole cluster: memory servers, clients, and a random block device workload. */
public final class PagerWorkload extends FaultWorkload<ClusterOptions> {
  public PagerWorkload() {
    super("pager", "a whole cluster with pager traffic", ClusterOptions.SWARM, ClusterOptions.PARAMETERS, PagerWorkload::run, PagerBugs.ALL);
  }

  private static ClusterRun run(long seed, ClusterOptions options, boolean charted) {
    return new ClusterRun(seed, options, ConfigFactory.defaultReference(), charted); // Seeds must not depend on the settings of this machine.
  }

  @Override
  public List<String> operations() {
    return Names.of(OpKind.values());
  }

  @Override
  public List<String> checkers() {
    return List.of("SectorHistory: each sector is linearizable",
        "DeviceHistory: each request ends once, and fails only where a server was lost",
        "WireChecker: queue pairs number, repeat and acknowledge as they may",
        "WatchDog: no role stops by itself",
        "ClusterAudit: credits, buffers, areas, queue pairs and regions are all accounted for",
        "liveness: after the faults each request ends within ten times the time-out");
  }

  @Override
  public Map<String, Long> marks() {
    Map<String, Long> marks = new TreeMap<>();
    for (PagerMark mark : PagerMark.values()) {
      marks.put(mark.name(), 0L);
    }
    return marks;
  }

  /** Thousands of servers are lost. */
  @Override
  public List<String> noise() {
    return List.of("dev.weft.pager");
  }
}
