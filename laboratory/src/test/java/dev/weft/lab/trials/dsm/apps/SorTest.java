package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SorTest {
  private static final Application SOR = Applications.byName("sor");

  @Test
  void shouldComputeTheSameBitsWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(SOR, "small");
  }

  @Test
  void shouldComputeThePublishedSum() {
    Outcome sequential = Runs.assertVerified(LocalRun.sequential(SOR, "published"));
    assertEquals(8322.377428306461, sequential.values()[0]);
    assertTrue(Runs.assertVerified(LocalRun.threads(SOR, "published", 3)).against(sequential).passed());
  }

  @Test
  void shouldComputeTheSameWithMoreWorkersThanRows() {
    Sor tiny = new Sor();
    tiny.size("tiny", new Sor.Size(7, 7, 3, Double.NaN));
    assertTrue(LocalRun.threads(tiny, "tiny", 11).against(LocalRun.sequential(tiny, "tiny")).passed());
  }

  @Test
  void shouldFindAValueThatIsNotRight() {
    Runs.assertFound("sum", SOR, "small", space -> space.doubles("sor.matrix", 130 * 130, SharingUnit.elements(130)).set(131, 0.5));
    Runs.assertFound("values within borders' values", SOR, "small",
        space -> space.doubles("sor.matrix", 130 * 130, SharingUnit.elements(130)).set(131, 1.5));
  }

  @Test
  void shouldTellADifferentMatrixFromTheSequentialOne() {
    Sor shorter = new Sor();
    shorter.size("small", new Sor.Size(130, 130, 19, Double.NaN));
    assertFalse(LocalRun.sequential(shorter, "small").against(LocalRun.sequential(SOR, "small")).passed());
  }

  @Test
  void shouldNameTheSizesThereAre() {
    String message = assertThrows(IllegalArgumentException.class, () -> LocalRun.sequential(SOR, "huge")).getMessage();
    assertEquals("sor has no size 'huge', must be one of [small, published, osdi99]", message);
  }
}
