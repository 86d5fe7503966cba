package dev.weft.lab.sim.dsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.dsm.settings.Engine;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.lab.kit.Failure;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.SeedRunner;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Litmus shapes in virtual time, with faults; {@code -Dweft.sim.first=N} and {@code -Dweft.sim.litmus=N} for other seeds. */
@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class LitmusSimulationTest {
  private static final long FIRST = Long.getLong("weft.sim.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.sim.litmus", 50);
  private static final int ROUNDS = 150;
  private static final LitmusWorkload WORKLOAD = new LitmusWorkload();

  static List<PlantedBug> bugs() {
    return WORKLOAD.plantedBugs();
  }

  private static void assertClean(LitmusOptions options, long first, int count) {
    Report done = new SeedRunner<>(WORKLOAD, options, 40).run(first, first + count - 1);
    System.out.printf("%d seeds from %d: %s%n%s%n", count, first, done.operations(), done.links());
    assertTrue(done.isClean(), () -> done.failureCount() + " of " + done.seeds() + " seeds failed\n"
        + done.failures().stream().map(Failure::describe).collect(Collectors.joining("\n")));
    assertEquals(count * options.rounds(), done.operations().get(LitmusSeed.ROUND).intValue());
    assertTrue(done.operations().get(LitmusSeed.OUTCOME) > 3 * count, "of a shape more than three outcomes are seen, on average");
  }

  @ParameterizedTest
  @EnumSource(Engine.class)
  void shouldSeeNoForbiddenOutcome(Engine engine) {
    assertClean(LitmusOptions.SWARM.with("--engine", engine.configName()).with("--rounds", ROUNDS), FIRST, SEEDS);
  }

  @Test
  void shouldSeeNoneWithTheSeedsOfThisVersion() {
    Seeds seeds = Seeds.of(LitmusSimulationTest.class, "dsm-litmus", FIRST, SEEDS, 25);
    assumeTrue(seeds.versionCount() > 0, "no seeds of the version are wanted");
    assertClean(LitmusOptions.SWARM.with("--rounds", ROUNDS), seeds.versionFirst(), seeds.versionCount());
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAMissingInvalidation(PlantedBug bug) {
    String found = new Mutant(LitmusMutantRun.class, List.of("dev.weft.dsm.", "dev.weft.lab."), bug.plants()).find(bug.seedsMax());
    assertNotNull(found, "not found: " + bug);
    assertTrue(found.contains("which is forbidden"), "by its outcome: " + found);
    System.out.println("found: " + bug.what() + ": " + found);
  }

  @Test
  void shouldDependOnTheSeedAndNothingElse() {
    LitmusWorkload workload = new LitmusWorkload();
    assertEquals(workload.simulation().run(3, LitmusOptions.SWARM).traceHash(), workload.simulation().run(3, LitmusOptions.SWARM).traceHash());
  }

  @Test
  void shouldNameTheCommandThatReplaysASeed() {
    LitmusOptions some = WORKLOAD.options(Given.of(List.of("--shape", "IRIW", "--rounds", "20"), WORKLOAD.parameters()));
    assertEquals("./weft sim --workload dsm-litmus --seeds 7..7 --rounds 20 --shape IRIW", WORKLOAD.replayCommand(7, some));
    assertThrows(IllegalArgumentException.class, () -> LitmusOptions.SWARM.with("--rounds", 0));
    assertThrows(IllegalArgumentException.class, () -> new LitmusOptions(LitmusOptions.KNOWN, 1, Engine.REQUEST, "IRIV"));
  }
}
