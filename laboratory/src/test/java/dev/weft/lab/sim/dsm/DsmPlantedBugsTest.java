package dev.weft.lab.sim.dsm;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search finds bugs: each is planted in a copy of shared memory, and must show within so many seeds. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class DsmPlantedBugsTest {
  private static final List<String> COPIED = List.of("dev.weft.dsm.", "dev.weft.lab.");

  static List<PlantedBug> bugs() {
    return new DsmWorkload().plantedBugs();
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAPlantedBug(PlantedBug bug) {
    Mutant.assertFound(MutantRun.class, COPIED, bug);
  }

  @Test
  void shouldSayWhereABugCannotBePlantedAnyMore() {
    Mutant mutant = new Mutant(MutantRun.class, COPIED, "dev.weft.dsm.member.NodeCore granted noSuchCall dropConfirm");
    assertThrows(IllegalStateException.class, mutant::simulation);
  }
}
