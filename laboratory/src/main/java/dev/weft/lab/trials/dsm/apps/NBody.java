package dev.weft.lab.trials.dsm.apps;

/**
 * Bodies that attract each other; each pair is computed from both sides. A body's owner sums up all attractions on it in the order of the bodies, so
 * the result has the same bits with any number of workers. This phase only reads shared memory.
 */
final class NBody extends SizedApplication<BodyWork.Size> {
  /** Direct summation: only the length of the step matters. */
  static final BodyWork.Tolerance TOLERANCE = new BodyWork.Tolerance(1e-4, 1e-13, 1e-12);

  NBody() {
    super("nbody", "all pairs of bodies, forces by their owners");
    size("small", new BodyWork.Size(256, 4, 16));
    size("medium", new BodyWork.Size(2048, 4, 32));
    size("medium-1", new BodyWork.Size(2048, 4, 1));
    size("large", new BodyWork.Size(16_384, 4, 64));
  }

  @Override
  Work work(Worker worker, BodyWork.Size size) {
    return new Part(worker, size);
  }

  private static final class Part extends BodyWork {
    private Part(Worker worker, BodyWork.Size size) {
      super(worker, size, TOLERANCE, true);
    }

    @Override
    void accelerate(int step) {
      for (int i = own.from(); i < own.to(); i++) {
        Bodies.attract(all, i, acceleration, 3 * (i - own.from()));
        worker.compute(Operation.FLOATING, Bodies.OPERATIONS * bodies);
        worker.compute(Operation.ROOT, 2L * bodies);
      }
      meet();
    }
  }
}
