package dev.weft.lab.sim.pvfs;

import static dev.weft.lab.kit.SeededRuns.assertClean;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.seeds.Seeds;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.QuietLogs;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.SeededRuns;
import dev.weft.lab.kit.Simulation;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that append to the same files, with faults; {@code -Dweft.sim.first=N} and {@code -Dweft.sim.appends=N} for other seeds. */
@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class AppendSimulationTest {
  private static final long FIRST = Long.getLong("weft.sim.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.sim.appends", 100);
  private static final AppendWorkload WORKLOAD = new AppendWorkload();
  private static final SeededRuns<AppendOptions> RUNS = new SeededRuns<>(WORKLOAD, AppendOptions.SWARM, 40, "runs");
  private static final List<String> COPIED = List.of("dev.weft.pvfs.", "dev.weft.lab.");

  static List<PlantedBug> bugs() {
    return WORKLOAD.plantedBugs();
  }

  @BeforeAll
  static void beQuiet() {
    QuietLogs.silence("dev.weft.pvfs");
  }

  @Test
  void shouldLoseNoAppendUnderFaults() {
    Report report = RUNS.run(FIRST, SEEDS);
    assertClean(report);
    assertEquals(SEEDS / 20, report.repeated());
    assertEquals(Set.copyOf(WORKLOAD.operations()), report.operations().keySet());
    Set<FaultClass> ofNodes = EnumSet.copyOf(AppendOptions.KNOWN);
    ofNodes.removeAll(EnumSet.of(FaultClass.LOSS, FaultClass.DUPLICATION, FaultClass.REORDERING, FaultClass.CORRUPTION));
    assertEquals(ofNodes.stream().map(FaultClass::name).collect(Collectors.toSet()), report.faults().keySet());
  }

  @Test
  void shouldLoseNoneWithTheSeedsOfThisVersion() {
    RUNS.assertCleanWithSeedsOfTheVersion(Seeds.of(AppendSimulationTest.class, "pvfs-appends", FIRST, SEEDS, 50));
  }

  @Test
  void shouldAppendAllWithoutFaults() {
    Report quiet = RUNS.runner(AppendOptions.SWARM.withFaults(FaultClass.parse("none"))).run(1, 10);
    assertClean(quiet);
    assertEquals(Set.of("APPENDED"), quiet.operations().keySet());
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAPlantedBug(PlantedBug bug) {
    Mutant.assertFound(AppendMutantRun.class, COPIED, bug);
  }

  /** What docs/guides/file-system.md lists as missing; when it is there, the option has no purpose any more. */
  @Test
  void shouldSeeAnAppendComeLateThatAPausedClientSendsAgain() {
    AppendOptions some = RUNS.ofArguments(List.of("--faults", "loss,corruption,pause", "--ops", "1", "--daemons", "1", "--clients", "2", "--stop-any-time",
        "true"));
    assertFalse(new AppendWorkload().simulation().run(173, some).isClean(),
        "that is mended: clients may stop at any time in all runs, and this seed belongs into seeds/");
  }

  @Test
  void shouldDependOnTheSeedAndNothingElse() {
    Simulation<AppendOptions> simulation = new AppendWorkload().simulation();
    assertEquals(simulation.run(3, AppendOptions.SWARM).traceHash(), new AppendWorkload().simulation().run(3, AppendOptions.SWARM).traceHash());
    assertNotEquals(simulation.run(3, AppendOptions.SWARM).traceHash(), simulation.run(4, AppendOptions.SWARM).traceHash());
  }

  @Test
  void shouldDrawAChartOfARun() {
    String chart = new AppendWorkload().simulation().chart(5, AppendOptions.SWARM.withFaults(FaultClass.parse("none")), 40_000);
    assertTrue(chart.contains("-> d0") && chart.contains("c0 begins append") && chart.contains("c0 has ended append"), chart);
  }

  @Test
  void shouldNameTheCommandThatReplaysASeed() {
    AppendOptions some = WORKLOAD.options(Given.of(List.of("--faults", "pause", "--ops", "20", "--stop-any-time", "true"), WORKLOAD.parameters()));
    assertEquals("./weft sim --workload pvfs-appends --seeds 7..7 --faults pause --ops 20 --stop-any-time true", WORKLOAD.replayCommand(7, some));
    assertThrows(IllegalArgumentException.class, () -> AppendOptions.SWARM.with("--clients", 5));
    assertThrows(IllegalArgumentException.class, () -> AppendOptions.SWARM.withFaults(FaultClass.parse("disk")));
  }
}
