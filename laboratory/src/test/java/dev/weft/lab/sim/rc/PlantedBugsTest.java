package dev.weft.lab.sim.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.kit.Mutant;
import dev.weft.lab.kit.PlantedBug;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search finds bugs: each is planted in a copy of the transport, and must show within so many seeds. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class PlantedBugsTest {
  private static final List<String> COPIED = List.of("dev.weft.hca.", "dev.weft.lab.");

  static List<PlantedBug> bugs() {
    return new RcWorkload().plantedBugs();
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void shouldFindAPlantedBug(PlantedBug bug) {
    Mutant.assertFound(MutantRun.class, COPIED, bug);
  }

  @Test
  void shouldFindNothingInAnUnchangedCopy() {
    // Replaces a call by one that does the same, so that the copy is loaded and changed like the others.
    LongFunction<List<String>> simulation = new Mutant(MutantRun.class, COPIED, "dev.weft.hca.transport.RcResponder onRequest diff keepDiff").simulation();
    for (long seed = 1; seed <= 10; seed++) {
      assertEquals(List.of(), simulation.apply(seed), "seed " + seed);
    }
  }

  @Test
  void shouldSayWhereABugCannotBePlantedAnyMore() {
    Mutant mutant = new Mutant(MutantRun.class, COPIED, "dev.weft.hca.transport.RcResponder onRequest noSuchCall acceptGap");
    assertThrows(IllegalStateException.class, mutant::simulation);
  }
}
