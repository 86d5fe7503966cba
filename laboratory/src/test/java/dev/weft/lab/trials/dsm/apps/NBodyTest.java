package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Test;

class NBodyTest {
  private static final Application NBODY = Applications.byName("nbody");

  @Test
  void shouldComputeTheSameBitsWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(NBODY, "small");
  }

  @Test
  void shouldConserveEnergyOfTwoThousandBodies() {
    Runs.assertVerified(LocalRun.threads(NBODY, "medium", 2));
  }

  @Test
  void shouldComputeTheSameWhereAWorkerHasNoBodies() {
    NBody tiny = new NBody();
    tiny.size("tiny", new BodyWork.Size(21, 2, 4));
    assertTrue(LocalRun.threads(tiny, "tiny", 9).against(LocalRun.sequential(tiny, "tiny")).passed());
  }

  @Test
  void shouldStartInTheVirialEquilibrium() {
    Bodies start = Bodies.plummer(2000);
    // Of Plummer's model, -3 pi / 64; less what is left out far away and by softening.
    assertEquals(-0.147, start.energy(), 0.01);
    assertEquals(0, start.momentum(), 1e-15);
  }

  @Test
  void shouldFindResultsThatAreNotRight() {
    Runs.assertFound("energy", NBODY, "small", space -> array(space, "velocities").getAndAdd(5, 0.5));
    Runs.assertFound("momentum", NBODY, "small", space -> array(space, "velocities").getAndAdd(5, 1e-9));
    Runs.assertFound("acceleration", NBODY, "small", space -> array(space, "accelerations").getAndAdd(12, 1e-6));
    Runs.assertFound("acceleration", NBODY, "small", space -> array(space, "positions").getAndAdd(300, 1e-6));
  }

  @Test
  void shouldFindThatABodyWasElsewhereAtFirst() {
    Runs.assertFoundOfInput("energy", NBODY, "small", space -> array(space, "positions").getAndAdd(3 * 128, 5));
  }

  private static SharedDoubles array(SharedSpace space, String name) {
    return space.doubles("nbody." + name, 3 * 256, SharingUnit.elements(3 * 16));
  }
}
