package dev.weft.pager.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ClusterSimulationTest {
  @Test
  void tryIt() {
    ClusterSimulation simulation = new ClusterSimulation();
    long first = Long.getLong("weft.sim.first", 1);
    long count = Long.getLong("weft.sim.seeds", 100);
    int failed = 0;
    java.util.Map<String, Long> marks = new java.util.TreeMap<>();
    long start = System.nanoTime();
    long events = 0;
    int undecided = 0;
    for (long seed = first; seed < first + count; seed++) {
      ClusterResult r = simulation.run(seed, ClusterOptions.SWARM);
      events += r.events();
      undecided += r.undecided();
      r.marks().forEach((k, v) -> marks.merge(k, v, Long::sum));
      if (!r.isClean() && failed++ < 8) {
        System.out.println("SEED " + seed + " " + r.shape() + " " + r.faults());
        r.violations().stream().limit(3).forEach(v -> System.out.println("    " + (v.length() > 600 ? v.substring(0, 600) : v)));
        if (failed == 1) System.out.println(simulation.chart(seed, ClusterOptions.SWARM, 30));
      }
    }
    System.out.println(count + " seeds, " + failed + " failed, " + events + " events, " + undecided + " undecided, "
        + (System.nanoTime() - start) / 1e9 + " s");
    System.out.println(marks);
    assertEquals(0, failed);
  }
}
