package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Test;

class WaterTest {
  private static final Application WATER = Applications.byName("water");

  @Test
  void shouldComputeTheSameButForRoundingWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(WATER, "small");
  }

  @Test
  void shouldComputeThePublishedSize() {
    Outcome sequential = Runs.assertVerified(LocalRun.sequential(WATER, "published"));
    assertTrue(Runs.assertVerified(LocalRun.threads(WATER, "published", 3)).against(sequential).passed());
  }

  @Test
  void shouldComputeOddNumbersOfMoleculesAndWorkersWithoutAny() {
    Water tiny = new Water();
    tiny.size("tiny", new Water.Size(3, 2, 4));
    Outcome shared = Runs.assertVerified(LocalRun.threads(tiny, "tiny", 9));
    assertTrue(shared.against(Runs.assertVerified(LocalRun.sequential(tiny, "tiny"))).passed());
  }

  /** A force is how the energy falls along its direction. */
  @Test
  void shouldHaveForcesThatAreSlopesOfTheEnergy() {
    WaterForces model = new WaterForces(4);
    double[] all = new WaterStart(4).positions();
    for (int moved = 0; moved < WaterForces.MOLECULE; moved++) {
      double[] forces = new double[all.length];
      energy(model, all, forces);
      double at = all[moved];
      all[moved] = at + 1e-5;
      double above = energy(model, all, new double[all.length]);
      all[moved] = at - 1e-5;
      double below = energy(model, all, new double[all.length]);
      all[moved] = at;
      assertEquals((below - above) / 2e-5, forces[moved], 1e-5 * Math.abs(forces[moved]) + 0.1);
    }
  }

  /** Of the first molecule with all others, and within it. */
  private static double energy(WaterForces model, double[] all, double[] forces) {
    double energy = WaterForces.within(all, 0, forces, 0);
    for (int j = 1; j < all.length / WaterForces.MOLECULE; j++) {
      energy += model.between(all, 0, j, forces);
    }
    return energy;
  }

  @Test
  void shouldFindResultsThatAreNotRight() {
    Runs.assertFound("forces", WATER, "small", space -> array(space, "forces").getAndAdd(100, 1));
    Runs.assertFound("forces", WATER, "small", space -> array(space, "positions").getAndAdd(100, 1e-3));
    Runs.assertFound("potential", WATER, "small", space -> array(space, "positions").getAndAdd(100, 1e-3));
    Runs.assertFound("kinetic", WATER, "small", space -> array(space, "velocities").getAndAdd(100, 1e-3));
    Runs.assertFound("momentum", WATER, "small", space -> array(space, "velocities").getAndAdd(100, 1e-3));
    Runs.assertFound("energy", WATER, "small", space -> space.doubles("water.energies", 8, SharingUnit.elements(2)).getAndAdd(0, 1e3));
  }

  @Test
  void shouldFindThatAForceWasNotRightAtFirst() {
    Runs.assertFoundOfInput("momentum", WATER, "small", space -> array(space, "forces").set(100, 10));
  }

  @Test
  void shouldTellAnotherResultFromTheSequentialOne() {
    Outcome sequential = LocalRun.sequential(WATER, "small");
    double[] values = sequential.values().clone();
    values[7] += 1e-6;
    assertFalse(new Outcome(sequential.lines(), sequential.checks(), sequential.digest(), values).against(sequential).passed());
  }

  private static SharedDoubles array(SharedSpace space, String name) {
    return space.doubles("water." + name, 64 * 9, SharingUnit.elements(4 * 9));
  }
}
