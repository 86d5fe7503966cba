package dev.weft.lab.sim.pvfs;

import static dev.weft.lab.kit.SeededRuns.assertClean;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.seeds.Seeds;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.QuietLogs;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.SeededRuns;
import dev.weft.lab.kit.Simulation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A file system keeps its promises under faults, over many seeds: fixed ones ({@code -Dweft.sim.first=N} and {@code -Dweft.sim.seeds=N} for
 * others), those that once failed (seeds/pvfs.txt), and those of the version ({@link Seeds}).
 */
@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
class PvfsSimulationTest {
  private static final long FIRST = Long.getLong("weft.sim.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.sim.seeds", 400);

  /** Credits keep receives posted, and a file system posts no atomics and no datagrams. */
  private static final Set<String> NOT_HERE = Set.of("duplicate atomic answered from saved result", "datagram with a wrong queue key dropped",
      "message of UC or UD dropped", "message of UC or UD found no receive");

  /** Need not come in so few runs. */
  private static final Set<String> RARE = Set.of("RNR timer expired", "RNR NAK received", "RNR ended by a posted receive",
      "owner told that it has lost a lock");

  private static final PvfsWorkload WORKLOAD = new PvfsWorkload();
  private static final SeededRuns<PvfsOptions> RUNS = new SeededRuns<>(WORKLOAD, PvfsOptions.SWARM, 40, "name spaces");

  private static Seeds seeds;
  private static Report report;

  @BeforeAll
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  static void runSeeds() {
    QuietLogs.silence("dev.weft.pvfs");
    seeds = Seeds.of(PvfsSimulationTest.class, "pvfs", FIRST, SEEDS, 100);
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
    assertTrue(report.links().lost() > 0 && report.links().duplicated() > 0 && report.links().reordered() > 0
        && report.links().corruptionsRejected() > 0 && report.links().partitioned() > 0, report.links().toString());
    Set<FaultClass> ofNodes = EnumSet.copyOf(PvfsOptions.KNOWN);
    ofNodes.removeAll(EnumSet.of(FaultClass.LOSS, FaultClass.DUPLICATION, FaultClass.REORDERING, FaultClass.CORRUPTION));
    assertEquals(ofNodes.stream().map(FaultClass::name).collect(Collectors.toSet()), report.faults().keySet());
  }

  @Test
  void shouldUseEveryOperationAndDecideNearlyEveryNameSpace() {
    assertEquals(Set.copyOf(WORKLOAD.operations()), report.operations().keySet());
    assertTrue(report.undecided() < 10, report.undecided() + " name spaces are undecided");
  }

  @Test
  void shouldLoseNothingWithoutFaults() {
    Report quiet = RUNS.runner(PvfsOptions.SWARM.withFaults(FaultClass.parse("none"))).run(1, 20);
    assertClean(quiet);
    assertEquals(quiet.links().transmitted(), quiet.links().delivered());
    assertEquals(0, quiet.marks().get(PvfsMarks.CONNECTED_AGAIN));
    assertTrue(quiet.faults().isEmpty());
  }

  @Test
  void shouldDependOnTheSeedAndNothingElse() {
    Simulation<PvfsOptions> simulation = new PvfsWorkload().simulation();
    assertEquals(simulation.run(3, PvfsOptions.SWARM).traceHash(), new PvfsWorkload().simulation().run(3, PvfsOptions.SWARM).traceHash());
    assertNotEquals(simulation.run(3, PvfsOptions.SWARM).traceHash(), simulation.run(4, PvfsOptions.SWARM).traceHash());
  }

  @Test
  void shouldDrawAChartOfARun() {
    String chart = new PvfsWorkload().simulation().chart(5, PvfsOptions.SWARM.withFaults(FaultClass.parse("none")), 40_000);
    assertTrue(chart.contains("-> d0") && chart.contains("c0     ->") && chart.contains("c0-0 begins Step"), chart);
  }

  @Test
  void shouldNameTheCommandThatReplaysASeed() {
    assertEquals("./weft sim --workload pvfs --seeds 7..7", WORKLOAD.replayCommand(7, PvfsOptions.SWARM));
    PvfsOptions some = PvfsOptions.SWARM.withFaults(FaultClass.parse("disk,loss")).with("--ops", 20).with("--threads", 1);
    assertEquals("./weft sim --workload pvfs --seeds 7..7 --faults loss,disk --ops 20 --threads 1", WORKLOAD.replayCommand(7, some));
    assertThrows(IllegalArgumentException.class, () -> PvfsOptions.SWARM.with("--daemons", 5));
  }
}
