package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Test;

class LuTest {
  private static final Application LU = Applications.byName("lu");

  @Test
  void shouldComputeTheSameBitsWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(LU, "small");
  }

  @Test
  void shouldSolveThePublishedSize() {
    Outcome sequential = Runs.assertVerified(LocalRun.sequential(LU, "published"));
    assertTrue(Runs.assertVerified(LocalRun.threads(LU, "published", 4)).against(sequential).passed());
  }

  @Test
  void shouldComputeTheSameWithMoreWorkersThanBlocks() {
    Lu tiny = new Lu();
    tiny.size("tiny", new Lu.Size(12, 4));
    assertTrue(LocalRun.threads(tiny, "tiny", 10).against(LocalRun.sequential(tiny, "tiny")).passed());
  }

  @Test
  void shouldFindAFactorThatIsNotRight() {
    Runs.assertFound("solution", LU, "small", space -> {
      SharedDoubles matrix = space.doubles("lu.matrix", 128 * 128, SharingUnit.elements(256));
      matrix.getAndAdd(17 * 256 + 3, 1e-3);
    });
    Runs.assertFound("solution", LU, "small",
        space -> space.doubles("lu.matrix", 128 * 128, SharingUnit.elements(256)).set(0, Double.NaN));
  }

  @Test
  void shouldFindThatTheInputWasAnother() {
    Runs.assertFoundOfInput("solution", LU, "small",
        space -> space.doubles("lu.matrix", 128 * 128, SharingUnit.elements(256)).getAndAdd(0, 1));
  }

  @Test
  void shouldRefuseBlocksThatDoNotDivideTheMatrix() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> new Lu.Size(100, 16)).getMessage().contains("100 rows in blocks of 16"));
  }
}
