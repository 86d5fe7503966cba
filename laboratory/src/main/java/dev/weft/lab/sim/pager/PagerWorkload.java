package dev.weft.lab.sim.pager;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.SeededSimulation;
import dev.weft.lab.kit.Simulation;
import dev.weft.lab.kit.Workload;
import dev.weft.pager.PagerMark;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A whole cluster: memory servers, clients, and a random block device workload. */
public final class PagerWorkload implements Workload<ClusterOptions> {
  @Override
  public String name() {
    return "pager";
  }

  @Override
  public String title() {
    return "a whole cluster with pager traffic";
  }

  @Override
  public List<Parameter> parameters() {
    return ClusterOptions.PARAMETERS;
  }

  @Override
  public ClusterOptions options(Given given) {
    return ClusterOptions.of(given);
  }

  @Override
  public Simulation<ClusterOptions> simulation() {
    Config reference = ConfigFactory.defaultReference(); // Seeds must not depend on the settings of this machine.
    return new SeededSimulation<>((seed, options, charted) -> new ClusterRun(seed, options, reference, charted));
  }

  @Override
  public List<String> operations() {
    return Names.of(OpKind.values());
  }

  @Override
  public List<String> faults() {
    return ClusterOptions.KNOWN.stream().map(FaultClass::name).toList();
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
  public List<PlantedBug> plantedBugs() {
    return PagerBugs.ALL;
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
