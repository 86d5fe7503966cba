package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedDoubles;
import java.util.Arrays;

/**
 * Bodies that attract each other; each pair is computed once and added to both. After each pair of chunks of bodies, a worker adds the results to the
 * shared accelerations of both chunks, each under its lock. So all workers write much. The paper does not define its NbodyW; this is a definition of
 * our own, after its name.
 */
final class NBodyW extends SizedApplication<BodyWork.Size> {
  NBodyW() {
    super("nbodyw", "all pairs of bodies, forces added under locks");
    size("small", new BodyWork.Size(256, 4, 16));
    size("medium", new BodyWork.Size(2048, 4, 32));
    size("medium-128", new BodyWork.Size(2048, 4, 128));
    size("large", new BodyWork.Size(16_384, 4, 64));
  }

  @Override
  Work work(Worker worker, BodyWork.Size size) {
    return new Part(worker, size);
  }

  private static final class Part extends BodyWork {
    private final SharedDoubles sums;
    private final DsmLock[] locks;
    private final double[] here;
    private final double[] there;
    private final double[] words;

    private Part(Worker worker, BodyWork.Size size) {
      super(worker, size, NBody.TOLERANCE, false);
      this.sums = bodyDoubles("sums");
      this.locks = locks("chunk", chunks);
      this.here = new double[3 * size.chunk()];
      this.there = new double[3 * size.chunk()];
      this.words = new double[3 * size.chunk()];
    }

    @Override
    void accelerate(int step) {
      for (int a = ownChunks.from(); a < ownChunks.to(); a++) {
        for (int k = 0; 2 * k <= chunks; k++) {
          // Opposite chunks meet from both sides: the lower one computes the pair.
          if (2 * k < chunks || a < k) {
            pair(a, (a + k) % chunks);
          }
        }
      }
      meet();
      sums.read(3L * own.from(), acceleration, 0, acceleration.length);
      // No worker adds until all have moved, and met.
      sums.write(3L * own.from(), new double[acceleration.length], 0, acceleration.length);
    }

    private void pair(int a, int b) {
      Share first = bodiesOf(a);
      Share second = bodiesOf(b);
      Arrays.fill(here, 0);
      Arrays.fill(there, 0);
      for (int i = first.from(); i < first.to(); i++) {
        for (int j = a == b ? i + 1 : second.from(); j < second.to(); j++) {
          pull(i, 3 * (i - first.from()), j, 3 * (j - second.from()));
        }
      }
      long pairs = (long) first.size() * second.size() / (a == b ? 2 : 1);
      worker.compute(Operation.FLOATING, (Bodies.OPERATIONS + 3) * pairs);
      worker.compute(Operation.ROOT, 2 * pairs);
      add(a, first, here);
      add(b, second, there);
    }

    private void pull(int i, int atHere, int j, int atThere) {
      double dx = all[3 * j] - all[3 * i];
      double dy = all[3 * j + 1] - all[3 * i + 1];
      double dz = all[3 * j + 2] - all[3 * i + 2];
      double squared = dx * dx + dy * dy + dz * dz + Bodies.SOFTENING_SQUARED;
      double pull = 1 / (bodies * squared * Math.sqrt(squared));
      here[atHere] += pull * dx;
      here[atHere + 1] += pull * dy;
      here[atHere + 2] += pull * dz;
      there[atThere] -= pull * dx;
      there[atThere + 1] -= pull * dy;
      there[atThere + 2] -= pull * dz;
    }

    private void add(int chunk, Share of, double[] what) {
      int count = 3 * of.size();
      locks[chunk].acquire();
      sums.read(3L * of.from(), words, 0, count);
      for (int k = 0; k < count; k++) {
        words[k] += what[k];
      }
      sums.write(3L * of.from(), words, 0, count);
      locks[chunk].release();
      worker.compute(Operation.FLOATING, count);
    }

    private Share bodiesOf(int chunk) {
      return new Share(chunk, chunk + 1).times(size.chunk(), bodies);
    }
  }
}
