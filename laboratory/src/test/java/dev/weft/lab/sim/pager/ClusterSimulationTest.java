package dev.weft.lab.sim.pager;

import static dev.weft.lab.kit.SeededRuns.assertClean;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkCounts;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.QuietLogs;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.SeedRunner;
import dev.weft.lab.kit.SeededRuns;
import dev.weft.lab.kit.Simulation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A pager cluster keeps its promises under faults, over many seeds: fixed ones ({@code -Dweft.sim.first=N} and
 * {@code -Dweft.sim.seeds=N} for others), those that once failed (seeds/pager.txt), and those of the version ({@link Seeds}).
 */
@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
class ClusterSimulationTest {
  private static final long FIRST = Long.getLong("weft.sim.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.sim.seeds", 200);

  /** Credits keep receives posted, and the pager posts no atomics: these belong to the simulation of the transport. */
  private static final Set<String> NOT_HERE = Set.of("RNR NAK received", "RNR ended by a posted receive", "RNR timer expired",
      "duplicate atomic answered from saved result", "datagram with a wrong queue key dropped", "message of UC or UD dropped",
      "message of UC or UD found no receive");

  private static final PagerWorkload WORKLOAD = new PagerWorkload();
  private static final SeededRuns<ClusterOptions> RUNS = new SeededRuns<>(WORKLOAD, ClusterOptions.SWARM, 40, "sectors");

  private static Seeds seeds;
  private static Report report;

  @BeforeAll
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  static void runSeeds() {
    QuietLogs.silence("dev.weft.pager");
    seeds = Seeds.of(ClusterSimulationTest.class, "pager", FIRST, SEEDS, 100);
    report = RUNS.run(FIRST, SEEDS);
  }

  @Test
  void shouldKeepEveryPromiseUnderFaults() {
    assertClean(report);
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void shouldKeepEveryPromiseWithTheSeedsOfThisVersion() {
    RUNS.assertCleanWithSeedsOfTheVersion(seeds);
  }

  @Test
  void shouldKeepEveryPromiseWithSeedsThatOnceFailed() {
    seeds.failed().forEach(seed -> assertEquals(List.of(), seed.options(), "seeds/pager.txt has no options: what is cut down fails whole, too"));
    RUNS.assertCleanWithSeedsThatOnceFailed(seeds);
  }

  @Test
  void shouldRepeatFiveRunsInAHundred() {
    assertEquals(SEEDS / 20, report.repeated());
  }

  @Test
  void shouldTakeEveryBranchOfRecovery() {
    List<String> missed = new ArrayList<>(report.marksNeverHit());
    missed.removeAll(NOT_HERE);
    missed.remove("SERVER_WAITS_FOR_SEND_ROOM"); // takes several lost acknowledgements in a row
    assertEquals(List.of(), missed);
  }

  @Test
  void shouldNeverNeedWhatCreditsPrevent() {
    NOT_HERE.forEach(mark -> assertEquals(0, report.marks().get(mark), mark));
  }

  @Test
  void shouldInjectEveryClassOfFault() {
    List<Function<LinkCounts, Long>> kinds = List.of(LinkCounts::lost, LinkCounts::duplicated, LinkCounts::reordered,
        LinkCounts::corruptionsRejected, LinkCounts::partitioned);
    for (int i = 0; i < kinds.size(); i++) {
      assertTrue(kinds.get(i).apply(report.links()) > 0, "kind " + i + " of " + report.links());
    }
    Set<FaultClass> ofCables = EnumSet.of(FaultClass.LOSS, FaultClass.DUPLICATION, FaultClass.REORDERING, FaultClass.CORRUPTION,
        FaultClass.DISK);
    assertEquals(EnumSet.complementOf(EnumSet.copyOf(ofCables)).stream().map(FaultClass::name).collect(Collectors.toSet()),
        report.faults().keySet());
  }

  @Test
  void shouldUseEveryOperationAndDecideNearlyEverySector() {
    assertEquals(Set.copyOf(WORKLOAD.operations()), report.operations().keySet());
    assertTrue(report.undecided() < 10, report.undecided() + " sectors are undecided");
  }

  @Test
  void shouldLoseNothingWithoutFaults() {
    ClusterOptions calm = ClusterOptions.SWARM.withFaults(FaultClass.parse("none"));
    Report quiet = RUNS.runner(calm).run(1, 20);
    assertTrue(quiet.isClean(), () -> quiet.failures().toString());
    assertEquals(quiet.links().transmitted(), quiet.links().delivered());
    assertEquals(0, quiet.marks().get("CLIENT_FAILS_OUTSTANDING"));
    assertTrue(quiet.faults().isEmpty());
  }

  @Test
  void shouldDependOnTheSeedAndNothingElse() {
    Simulation<ClusterOptions> simulation = new PagerWorkload().simulation();
    assertEquals(simulation.run(3, ClusterOptions.SWARM).traceHash(), new PagerWorkload().simulation().run(3, ClusterOptions.SWARM).traceHash());
    assertNotEquals(simulation.run(3, ClusterOptions.SWARM).traceHash(), simulation.run(4, ClusterOptions.SWARM).traceHash());
  }

  @Test
  void shouldDrawAChartOfARun() {
    String chart = new PagerWorkload().simulation().chart(5, ClusterOptions.SWARM, 400);
    assertTrue(chart.contains("-> c0") && chart.contains("s0     ->") && chart.contains("ACKNOWLEDGE"), chart);
    assertTrue(chart.contains("c0 begins request") && chart.contains("errno 0"), chart);
  }

  @Test
  void shouldNameTheCommandThatReplaysASeed() {
    assertEquals("./weft sim --workload pager --seeds 7..7", WORKLOAD.replayCommand(7, ClusterOptions.SWARM));
    ClusterOptions some = ClusterOptions.SWARM.withFaults(FaultClass.parse("pause,loss")).with("--ops", 30);
    assertEquals("./weft sim --workload pager --seeds 7..7 --faults loss,pause --ops 30", WORKLOAD.replayCommand(7, some));
  }

  @Test
  void shouldRefuseUnknownFaultsAndEmptyRanges() {
    assertThrows(IllegalArgumentException.class, () -> FaultClass.parse("loss,rain"));
    assertThrows(IllegalArgumentException.class, () -> ClusterOptions.SWARM.with("--servers", 5));
    SeedRunner<ClusterOptions> runner = RUNS.runner(ClusterOptions.SWARM);
    assertThrows(IllegalArgumentException.class, () -> runner.run(5, 4));
    assertFalse(ClusterOptions.SWARM.faults().isEmpty());
  }
}
