package dev.weft.lab.sim.dsm;

import static dev.weft.lab.kit.SeededRuns.assertClean;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.settings.Engine;
import dev.weft.fabric.link.LinkCounts;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Report;
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
 * Shared memory keeps its promises under faults, over many seeds: fixed ones ({@code -Dweft.sim.first=N} and {@code -Dweft.sim.seeds=N} for
 * others), those that once failed (seeds/dsm.txt), and those of the version ({@link Seeds}).
 */
@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
class DsmSimulationTest {
  private static final long FIRST = Long.getLong("weft.sim.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.sim.seeds", 500);

  /** Receives are always posted when packets are not lost for long, shared memory posts no atomics and no datagrams, and homes stay if nothing else is said. */
  private static final Set<String> NOT_HERE = Set.of("duplicate atomic answered from saved result", "datagram with a wrong queue key dropped",
      "message of UC or UD dropped", "message of UC or UD found no receive", "home moved to a writer", "request sent on to a home that had moved");

  /** Need not come in so few runs. */
  private static final Set<String> RARE = Set.of("RNR timer expired", "RNR NAK received", "RNR ended by a posted receive",
      "lost response noticed by a later one", "duplicate read executed again");

  private static final DsmWorkload WORKLOAD = new DsmWorkload();
  private static final SeededRuns<DsmOptions> RUNS = new SeededRuns<>(WORKLOAD, DsmOptions.SWARM, 40, "words");

  private static Seeds seeds;
  private static Report report;

  @BeforeAll
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  static void runSeeds() {
    seeds = Seeds.of(DsmSimulationTest.class, "dsm", FIRST, SEEDS, 100);
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

  /** Fixed ones, and the first ones of the version. */
  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void shouldKeepEveryPromiseWithTheSynchronousEngine() {
    DsmOptions synchronous = new DsmOptions(DsmOptions.KNOWN, DsmOptions.OPS_MAX, DsmOptions.NODES_MAX, DsmOptions.THREADS_MAX, Engine.SYNCHRONOUS);
    assertClean(RUNS.runner(synchronous).run(1, 60));
    int more = Math.min(20, seeds.versionCount());
    if (more > 0) {
      assertClean(RUNS.runner(synchronous).run(seeds.versionFirst(), seeds.versionFirst() + more - 1));
    }
  }

  /** Fixed ones, and the first ones of the version. */
  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void shouldKeepEveryPromiseWhereHomesMove() {
    DsmOptions dynamic = DsmOptions.SWARM.with("--home", "dynamic");
    Report moving = RUNS.runner(dynamic).run(1, 60);
    assertClean(moving);
    for (String mark : List.of("home moved to a writer", "request sent on to a home that had moved", "node left while others worked")) {
      assertTrue(moving.marks().get(mark) > 0, mark);
    }
    int more = Math.min(20, seeds.versionCount());
    if (more > 0) {
      assertClean(RUNS.runner(dynamic).run(seeds.versionFirst(), seeds.versionFirst() + more - 1));
    }
  }

  /** As when a JVM is killed. */
  @Test
  void shouldKeepEveryPromiseWhenTwoNodesDieAtTheSameTime() {
    Set<FaultClass> faults = EnumSet.of(FaultClass.SERVER_CRASH, FaultClass.CLIENT_CRASH, FaultClass.LOSS, FaultClass.SLOW_SERVER);
    DsmOptions pairs = DsmOptions.SWARM.withFaults(faults).with("--home", "dynamic").with("--consistency", "release").with("--per-jvm", 2);
    Report done = RUNS.runner(pairs).run(1, 80);
    assertClean(done);
    assertTrue(done.faults().get(FaultClass.SERVER_CRASH.name()) > 0 && done.faults().get(FaultClass.CLIENT_CRASH.name()) > 0, done.faults().toString());
  }

  @Test
  void shouldKeepReleaseConsistency() {
    assertClean(RUNS.runner(DsmOptions.SWARM.with("--consistency", "release")).run(1, 40));
  }

  /** Of updates that go to the multicast group some are lost, and some come twice or late. */
  @Test
  void shouldKeepReleaseConsistencyThoughDatagramsAreLost() {
    DsmOptions released = DsmOptions.SWARM.with("--consistency", "release");
    Report done = RUNS.runner(released.withFaults(EnumSet.of(FaultClass.LOSS, FaultClass.REORDERING, FaultClass.DUPLICATION))).run(1001, 1060);
    assertClean(done);
    assertTrue(done.marks().getOrDefault(DsmCounts.REPAIRED, 0L) > 0 && done.marks().getOrDefault(DsmCounts.DROPPED, 0L) > 0, done.marks().toString());
  }

  @Test
  void shouldKeepEveryPromiseWithSeedsThatOnceFailed() {
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
    missed.removeAll(RARE);
    assertEquals(List.of(), missed);
    NOT_HERE.forEach(mark -> assertEquals(0, report.marks().get(mark), mark));
  }

  @Test
  void shouldInjectEveryClassOfFault() {
    List<Function<LinkCounts, Long>> kinds = List.of(LinkCounts::lost, LinkCounts::duplicated, LinkCounts::reordered,
        LinkCounts::corruptionsRejected, LinkCounts::partitioned);
    for (int i = 0; i < kinds.size(); i++) {
      assertTrue(kinds.get(i).apply(report.links()) > 0, "kind " + i + " of " + report.links());
    }
    Set<FaultClass> ofNodes = EnumSet.copyOf(DsmOptions.KNOWN);
    ofNodes.removeAll(EnumSet.of(FaultClass.LOSS, FaultClass.DUPLICATION, FaultClass.REORDERING, FaultClass.CORRUPTION));
    assertEquals(ofNodes.stream().map(FaultClass::name).collect(Collectors.toSet()), report.faults().keySet());
  }

  @Test
  void shouldUseEveryOperationAndDecideNearlyEveryWord() {
    assertEquals(Set.copyOf(WORKLOAD.operations()), report.operations().keySet());
    assertTrue(report.undecided() < 10, report.undecided() + " words are undecided");
  }

  @Test
  void shouldLoseNothingWithoutFaults() {
    Report quiet = RUNS.runner(DsmOptions.SWARM.withFaults(FaultClass.parse("none"))).run(1, 20);
    assertTrue(quiet.isClean(), () -> quiet.failures().toString());
    assertEquals(quiet.links().transmitted(), quiet.links().delivered());
    assertEquals(0, quiet.marks().get("minipage lost with its node"));
    assertTrue(quiet.faults().isEmpty());
  }

  @Test
  void shouldDependOnTheSeedAndNothingElse() {
    Simulation<DsmOptions> simulation = new DsmWorkload().simulation();
    assertEquals(simulation.run(3, DsmOptions.SWARM).traceHash(), new DsmWorkload().simulation().run(3, DsmOptions.SWARM).traceHash());
    assertNotEquals(simulation.run(3, DsmOptions.SWARM).traceHash(), simulation.run(4, DsmOptions.SWARM).traceHash());
  }

  @Test
  void shouldDrawAChartOfARun() {
    String chart = new DsmWorkload().simulation().chart(5, DsmOptions.SWARM.withFaults(FaultClass.parse("none")), 40_000);
    assertTrue(chart.contains("-> n0") && chart.contains("n1     ->") && chart.contains("RDMA_WRITE"), chart);
    assertTrue(chart.contains("n0-0 begins Step") || chart.contains("n1-0 begins Step"), chart);
  }

  @Test
  void shouldNameTheCommandThatReplaysASeed() {
    assertEquals("./weft sim --workload dsm --seeds 7..7", WORKLOAD.replayCommand(7, DsmOptions.SWARM));
    DsmOptions some = DsmOptions.SWARM.withFaults(FaultClass.parse("pause,loss")).with("--ops", 30);
    assertEquals("./weft sim --workload dsm --seeds 7..7 --faults loss,pause --ops 30", WORKLOAD.replayCommand(7, some));
    assertEquals("./weft sim --workload dsm --seeds 7..7 --home dynamic", WORKLOAD.replayCommand(7, DsmOptions.SWARM.with("--home", "dynamic")));
    assertEquals("./weft sim --workload dsm --seeds 7..7 --per-jvm 2", WORKLOAD.replayCommand(7, DsmOptions.SWARM.with("--per-jvm", 2)));
    assertThrows(IllegalArgumentException.class, () -> DsmOptions.SWARM.with("--nodes", 6));
    assertThrows(IllegalArgumentException.class, () -> DsmOptions.SWARM.with("--home", "dynamic").with("--engine", "synchronous"));
  }
}
