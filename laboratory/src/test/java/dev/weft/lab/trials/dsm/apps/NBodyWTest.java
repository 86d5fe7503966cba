package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Test;

class NBodyWTest {
  private static final Application NBODYW = Applications.byName("nbodyw");

  @Test
  void shouldComputeTheSameButForRoundingWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(NBODYW, "small");
  }

  @Test
  void shouldComputeWhatNBodyDoesWithOddAndEvenNumbersOfChunks() {
    for (int bodies : new int[] {20, 21, 25}) {
      NBodyW tiny = new NBodyW();
      tiny.size("tiny", new BodyWork.Size(bodies, 2, 4));
      NBody direct = new NBody();
      direct.size("tiny", new BodyWork.Size(bodies, 2, 4));
      Outcome shared = LocalRun.threads(tiny, "tiny", 3);
      Outcome sequential = LocalRun.sequential(direct, "tiny");
      Check same = shared.against(new Outcome(sequential.lines(), sequential.checks(), 0, sequential.values()));
      assertTrue(same.passed(), same.toString());
    }
  }

  @Test
  void shouldFindResultsThatAreNotRight() {
    Runs.assertFound("energy", NBODYW, "small", space -> array(space, "velocities").getAndAdd(5, 0.5));
    Runs.assertFound("momentum", NBODYW, "small", space -> array(space, "velocities").getAndAdd(5, 1e-9));
    Runs.assertFound("acceleration", NBODYW, "small", space -> array(space, "accelerations").getAndAdd(12, 1e-6));
  }

  @Test
  void shouldFindThatASumWasNotRightAtFirst() {
    Runs.assertFoundOfInput("momentum", NBODYW, "small", space -> array(space, "sums").set(100, 1e-3));
  }

  @Test
  void shouldTellAnotherResultFromTheSequentialOne() {
    Outcome sequential = LocalRun.sequential(NBODYW, "small");
    double[] values = sequential.values().clone();
    values[700] += 1e-7;
    assertFalse(new Outcome(sequential.lines(), sequential.checks(), sequential.digest(), values).against(sequential).passed());
    values[700] = Double.NaN;
    assertFalse(new Outcome(sequential.lines(), sequential.checks(), sequential.digest(), values).against(sequential).passed());
    assertTrue(sequential.against(sequential).passed());
  }

  private static SharedDoubles array(SharedSpace space, String name) {
    return space.doubles("nbodyw." + name, 3 * 256, SharingUnit.elements(3 * 16));
  }
}
