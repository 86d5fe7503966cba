package dev.weft.lab.sim.pvfs;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.QuietLogs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search finds bugs: each is planted in a copy of the file system, and must show within so many seeds. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class PvfsPlantedBugsTest {
  private static final List<String> COPIED = List.of("dev.weft.pvfs.", "dev.weft.lab.");
  private static final int WANTED = 12;
  private static final int SEEDS_MAX = 200;

  static List<PlantedBug> bugs() {
    List<PlantedBug> all = new ArrayList<>(new PvfsWorkload().plantedBugs());
    all.addAll(Boolean.getBoolean("weft.sim.rare") ? PvfsBugs.RARE : List.of());
    return all;
  }

  @BeforeAll
  static void beQuiet() {
    QuietLogs.silence("dev.weft.pvfs");
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAPlantedBug(PlantedBug bug) {
    Mutant.assertFound(MutantRun.class, COPIED, bug);
  }

  @Test
  void shouldHaveEnoughOfThem() {
    assertTrue(bugs().size() >= WANTED && bugs().stream().allMatch(bug -> bug.seedsMax() <= SEEDS_MAX), bugs().toString());
  }

  @Test
  void shouldSayWhereABugCannotBePlantedAnyMore() {
    Mutant mutant = new Mutant(MutantRun.class, COPIED, "dev.weft.pvfs.daemon.MemoryCore write noSuchCall answerEarly");
    assertThrows(IllegalStateException.class, mutant::simulation);
  }
}
