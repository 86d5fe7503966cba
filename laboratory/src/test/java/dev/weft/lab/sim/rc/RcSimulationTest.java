package dev.weft.lab.sim.rc;

import static dev.weft.lab.kit.SeededRuns.assertClean;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkCounts;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.SeededRuns;
import dev.weft.lab.kit.Shrinker;
import dev.weft.lab.kit.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Reliable connections keep their promises under faults, over many seeds: fixed ones ({@code -Dweft.sim.first=N} and
 * {@code -Dweft.sim.seeds=N} for others), those that once failed (seeds/rc.txt), and those of the version ({@link Seeds}).
 */
@Tag("slow")
@Tag("jvms")
@Execution(ExecutionMode.CONCURRENT)
class RcSimulationTest {
  private static final long FIRST = Long.getLong("weft.sim.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.sim.seeds", 400);

  private static final RcWorkload WORKLOAD = new RcWorkload();
  private static final SeededRuns<SimulationOptions> RUNS = new SeededRuns<>(WORKLOAD, SimulationOptions.SWARM, 40, "requests");

  private static Seeds seeds;
  private static Report report;

  @BeforeAll
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  static void runSeeds() {
    seeds = Seeds.of(RcSimulationTest.class, "rc", FIRST, SEEDS, 600);
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
  @Timeout(180)
  void shouldKeepEveryPromiseWithSeedsThatOnceFailed() {
    RUNS.assertCleanWithSeedsThatOnceFailed(seeds);
  }

  @Test
  void shouldRepeatFiveRunsInAHundred() {
    assertEquals(SEEDS / 20, report.repeated());
  }

  @Test
  void shouldTakeEveryBranchOfRecovery() {
    List<Executable> checks = new ArrayList<>();
    report.marks().forEach((name, count) -> checks.add(() -> assertTrue(count > 0, "never: " + name)));
    assertFalse(checks.isEmpty());
    assertAll(checks);
  }

  @Test
  void shouldInjectEveryKindOfFault() {
    List<Function<LinkCounts, Long>> kinds = List.of(LinkCounts::lost, LinkCounts::duplicated, LinkCounts::reordered,
        LinkCounts::corruptionsRejected, LinkCounts::partitioned);
    for (int i = 0; i < kinds.size(); i++) {
      assertTrue(kinds.get(i).apply(report.links()) > 0, "kind " + i + " of " + report.links());
    }
  }

  @Test
  void shouldUseEveryOperation() {
    assertEquals(Set.copyOf(WORKLOAD.operations()), report.operations().keySet());
  }

  @Test
  @Timeout(180)
  void shouldInjectNothingWhenToldSo() {
    Report calm = RUNS.runner(SimulationOptions.CALM).run(1, 20);
    assertTrue(calm.isClean(), () -> calm.failures().toString());
    assertEquals(calm.links().transmitted(), calm.links().delivered());
    assertEquals(0, calm.marks().get("acknowledgement timeout"));
  }

  @Test
  @Timeout(180)
  void shouldInjectWhatItIsTold() {
    SimulationOptions options = new SimulationOptions(0.0, 0.3, 0.0, 0.0, false);
    Report duplicates = RUNS.runner(options).run(1, 20);
    assertTrue(duplicates.isClean(), () -> duplicates.failures().toString());
    assertTrue(duplicates.links().duplicated() > 0);
    assertEquals(0, duplicates.links().lost() + duplicates.links().reordered() + duplicates.links().corruptionsRejected()
        + duplicates.links().partitioned());
  }

  @Test
  @Timeout(180)
  void shouldTakeOtherWaysWithOtherSeeds() {
    Simulation<SimulationOptions> simulation = new RcWorkload().simulation();
    assertNotEquals(simulation.run(1, SimulationOptions.SWARM).traceHash(), simulation.run(2, SimulationOptions.SWARM).traceHash());
  }

  @Test
  @Timeout(180)
  void shouldTakeTheSameWayInAnotherJvmWithAnotherCollector() throws Exception {
    int seeds = 50;
    List<String> command = List.of(ProcessHandle.current().info().command().orElseThrow(), "-XX:+UseParallelGC", "-Xmx192m",
        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2",
        "-Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener", "-cp", System.getProperty("java.class.path"),
        TraceHashes.class.getName(), "1", Integer.toString(seeds));
    Process other = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      List<String> theirs = new String(other.getInputStream().readAllBytes()).lines().filter(l -> !l.isBlank()).toList();
      assertTrue(other.waitFor(90, TimeUnit.SECONDS));
      Simulation<SimulationOptions> simulation = new RcWorkload().simulation();
      List<String> ours = new ArrayList<>();
      for (long seed = 1; seed <= seeds; seed++) {
        ours.add(TraceHashes.line(simulation.run(seed, SimulationOptions.SWARM)));
      }
      assertEquals(ours, theirs);
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void shouldRefuseARateThatTheRetriesDoNotCover() {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> new SimulationOptions(0.2, null, null, null, null));
    assertTrue(refused.getMessage().contains("loss is 0.2, must be from 0 to 0.03"), refused.getMessage());
  }

  @Test
  @Timeout(180)
  void shouldDrawAChartOfARun() {
    String chart = new RcWorkload().simulation().chart(5, SimulationOptions.SWARM, 400);
    assertTrue(chart.contains("n0     ->") && chart.contains("-> n1") && chart.contains("ACKNOWLEDGE"), chart);
    assertTrue(chart.contains("* all faults are over"), chart);
  }

  @Test
  void shouldCutARunDownToTheFaultsThatMakeItFail() {
    SimulationOptions least = new Shrinker<>(SimulationOptions.SWARM,
        candidate -> candidate.loss() == null && candidate.partitions() == null).shrink();
    assertEquals(" --duplication 0.0 --reordering 0.0 --corruption 0.0", least.toArguments());
  }

  @Test
  void shouldReadTheOptionsOfAReplayCommand() {
    SimulationOptions some = new SimulationOptions(0.01, null, 0.5, null, true);
    assertEquals(some, RUNS.ofArguments(List.of(some.toArguments().strip().split(" "))));
    assertEquals(SimulationOptions.SWARM, RUNS.ofArguments(List.of()));
    assertThrows(IllegalArgumentException.class, () -> RUNS.ofArguments(List.of("--los", "0.01")));
    assertThrows(IllegalArgumentException.class, () -> RUNS.ofArguments(List.of("--loss")));
  }

  @Test
  void shouldNameTheCommandThatReplaysASeed() {
    assertEquals("./weft sim --workload rc --seeds 7..7", WORKLOAD.replayCommand(7, SimulationOptions.SWARM));
    assertEquals("./weft sim --workload rc --seeds 7..7 --loss 0.01 --partitions true",
        WORKLOAD.replayCommand(7, new SimulationOptions(0.01, null, null, null, true)));
  }
}
