package dev.weft.lab.sim.dsm;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.weft.dsm.release.ReleaseCoreRun;
import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search finds bugs of release consistency: each is planted in a copy, and must show within so many seeds. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ReleasePlantedBugsTest {
  private static final List<String> COPIED = List.of("dev.weft.dsm.", "dev.weft.lab.");

  static List<PlantedBug> bugs() {
    return DsmBugs.OF_RELEASE;
  }

  static List<PlantedBug> bugsOfLogic() {
    return DsmBugs.OF_RELEASE_LOGIC;
  }

  @ParameterizedTest
  @MethodSource("bugsOfLogic")
  void shouldFindABugOfOrder(PlantedBug bug) {
    assertNotNull(new Mutant(ReleaseCoreRun.class, COPIED, bug.plants()).find(bug.seedsMax()), "not found: " + bug);
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAPlantedBug(PlantedBug bug) {
    Mutant.assertFound(ReleaseMutantRun.class, COPIED, bug);
  }
}
