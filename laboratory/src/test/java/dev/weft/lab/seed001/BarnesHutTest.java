package dev.weft.lab.seed001;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.figures.Figures;
import dev.weft.lab.hosts.SwapProfile;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BarnesHutTest {
  private static final SwapProfile PROFILE = SwapProfile.load("ib-2005-xeon", Figures.load().calibration());
  private static final int BODIES = 200;

  /** Runs and keeps what is in memory at the end. */
  private static final class Kept implements Program {
    private final BarnesHut program;
    private float[] records;

    Kept(BarnesHut program) {
      this.program = program;
    }

    @Override
    public int words() {
      return program.words();
    }

    @Override
    public void run(PagedInts memory) {
      program.run(memory);
      records = new float[memory.length()];
      for (int i = 0; i < records.length; i++) {
        records[i] = Float.intBitsToFloat(memory.get(i));
      }
    }
  }

  private static float[] run(Backing backing, int bodies, float openingAngle, int scale) {
    Kept kept = new Kept(new BarnesHut(bodies, 1, openingAngle, 3, 1000));
    SwapRun.of(PROFILE, new Machine(backing, 512, 1024, 1, scale, false), 3, List.of(kept));
    return kept.records;
  }

  @Test
  void shouldPullAsTheDirectSumDoesWhenNoCellIsTakenAsOneBody() {
    float[] records = run(Backing.LOCAL, BODIES, 0, 64);
    double[][] place = start(records);
    for (int body = 0; body < BODIES; body++) {
      for (int axis = 0; axis < 3; axis++) {
        assertEquals(direct(place, body, axis), records[body * BarnesHut.RECORD + 7 + axis], 1e-3, "body " + body + " axis " + axis);
      }
    }
  }

  @Test
  void shouldComeCloseToTheDirectSumWithCells() {
    float[] exact = run(Backing.LOCAL, BODIES, 0, 64);
    float[] close = run(Backing.LOCAL, BODIES, 0.5f, 64);
    double error = 0;
    double size = 0;
    for (int body = 0; body < BODIES; body++) {
      error += Math.abs(exact[body * BarnesHut.RECORD + 7] - close[body * BarnesHut.RECORD + 7]);
      size += Math.abs(exact[body * BarnesHut.RECORD + 7]);
    }
    assertTrue(error > 0 && error < 0.05 * size, error + " of " + size);
  }

  @Test
  void shouldComputeTheSameInTooLittleMemory() {
    int bodies = 12_000; // 3 MB in 480 frames
    float[] local = run(Backing.LOCAL, bodies, 1, 256);
    float[] swapped = run(Backing.HPBD, bodies, 1, 256);
    assertEquals(-1, java.util.Arrays.mismatch(local, swapped));
  }

  /** Where the bodies were before their one move. */
  private static double[][] start(float[] records) {
    double[][] place = new double[BODIES][3];
    for (int body = 0; body < BODIES; body++) {
      for (int axis = 0; axis < 3; axis++) {
        int record = body * BarnesHut.RECORD;
        place[body][axis] = records[record + 1 + axis] - (double) records[record + 4 + axis] * BarnesHut.STEP;
      }
    }
    return place;
  }

  private static double direct(double[][] place, int body, int axis) {
    double sum = 0;
    for (int other = 0; other < BODIES; other++) {
      if (other == body) {
        continue;
      }
      double square = 0.0025;
      for (int i = 0; i < 3; i++) {
        square += (place[other][i] - place[body][i]) * (place[other][i] - place[body][i]);
      }
      sum += (place[other][axis] - place[body][axis]) / (square * Math.sqrt(square)) / BODIES;
    }
    return sum;
  }
}
