package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;
import java.util.List;

/**
 * Moves bodies in equal time steps (velocity Verlet). Positions are shared, several bodies in a minipage. Only a body's owner writes them; the owner
 * keeps velocity and acceleration to itself until they are gathered. Each application computes accelerations in its own way.
 */
abstract class BodyWork extends SharedWork {
  /** Length of a time step, as in SPLASH-2. */
  private static final double STEP = 0.025;
  /** Number of bodies whose acceleration is compared with the sum of all attractions. */
  private static final int SAMPLES = 64;

  /**
   * @param bodies number of bodies, 2 or more
   * @param chunk bodies of a minipage
   */
  record Size(int bodies, int steps, int chunk) {}

  /**
   * Permitted deviations of a result from physics.
   *
   * @param energy relative change of the energy over all steps
   * @param momentum deviation of the momentum from 0; speeds are around 1
   * @param acceleration relative error of accelerations, the mean of some bodies
   */
  record Tolerance(double energy, double momentum, double acceleration) {}

  final Size size;
  final int bodies;
  /** Number of minipages of an array of bodies. */
  final int chunks;
  /** This worker's minipages. */
  final Share ownChunks;
  /** This worker's bodies. */
  final Share own;
  /** Positions of all bodies in this step. */
  final double[] all;
  /** Accelerations of this worker's bodies. */
  final double[] acceleration;
  private final Tolerance tolerance;
  private final boolean sameBits;
  private final double[] velocity;
  private final SharedDoubles positions;
  private final SharedDoubles velocities;
  private final SharedDoubles accelerations;

  /** @param sameBits whether the result has the same bits with any number of workers */
  BodyWork(Worker worker, Size size, Tolerance tolerance, boolean sameBits) {
    super(worker);
    this.size = size;
    this.tolerance = tolerance;
    this.sameBits = sameBits;
    this.bodies = size.bodies();
    this.chunks = (bodies + size.chunk() - 1) / size.chunk();
    this.ownChunks = mine(chunks);
    this.own = ownChunks.times(size.chunk(), bodies);
    this.all = new double[3 * bodies];
    this.acceleration = new double[3 * own.size()];
    this.velocity = new double[3 * own.size()];
    this.positions = bodyDoubles("positions");
    this.velocities = bodyDoubles("velocities");
    this.accelerations = bodyDoubles("accelerations");
  }

  /** A shared array with three doubles for each body. */
  final SharedDoubles bodyDoubles(String what) {
    return doubles(what, 3L * bodies, SharingUnit.elements(3L * size.chunk()));
  }

  /**
   * Sets {@link #acceleration} for the positions in {@link #all}. Meets at least once, so all workers have read the positions afterwards.
   *
   * @param step number of the step, from 0
   */
  abstract void accelerate(int step);

  @Override
  void fill() {
    Bodies start = Bodies.plummer(bodies);
    positions.write(3L * own.from(), start.positions(), 3 * own.from(), 3 * own.size());
    System.arraycopy(start.velocities(), 3 * own.from(), velocity, 0, velocity.length);
  }

  @Override
  void work() {
    for (int step = 0; step <= size.steps(); step++) {
      positions.read(0, all, 0, all.length);
      Arrays.fill(acceleration, 0);
      accelerate(step);
      if (step > 0) {
        kick();
      }
      if (step < size.steps()) {
        kick();
        drift();
        meet();
      }
    }
  }

  private void kick() {
    for (int k = 0; k < velocity.length; k++) {
      velocity[k] += acceleration[k] * (STEP / 2);
    }
    worker.compute(Operation.FLOATING, 2L * velocity.length);
  }

  private void drift() {
    for (int k = 0; k < velocity.length; k++) {
      all[3 * own.from() + k] += velocity[k] * STEP;
    }
    positions.write(3L * own.from(), all, 3 * own.from(), velocity.length);
    worker.compute(Operation.FLOATING, 2L * velocity.length);
  }

  @Override
  void collect() {
    velocities.write(3L * own.from(), velocity, 0, velocity.length);
    accelerations.write(3L * own.from(), acceleration, 0, velocity.length);
  }

  @Override
  public Outcome outcome() {
    double[] position = read(positions);
    double[] speed = read(velocities);
    Bodies end = new Bodies(position, speed);
    double before = Bodies.plummer(bodies).energy();
    double after = end.energy();
    double change = Math.abs(after / before - 1);
    double momentum = end.momentum();
    double error = meanError(position, read(accelerations));
    double[] values = Arrays.copyOf(position, 2 * position.length);
    System.arraycopy(speed, 0, values, position.length, speed.length);
    return new Outcome(List.of(bodies + " bodies, " + size.steps() + " steps of " + STEP + ", energy " + before + " to " + after),
        List.of(atMost("energy", change, tolerance.energy()), atMost("momentum", momentum, tolerance.momentum()),
            atMost("acceleration", error, tolerance.acceleration())),
        sameBits ? new Digest().add(values, values.length).value() : 0, values);
  }

  private static Check atMost(String name, double found, double max) {
    return new Check(name, found <= max, "off by %.2e, may be %.2e".formatted(found, max));
  }

  private double[] read(SharedDoubles from) {
    double[] read = new double[3 * bodies];
    from.read(0, read, 0, read.length);
    return read;
  }

  /** Relative error of the accelerations of some bodies. */
  private double meanError(double[] position, double[] accelerated) {
    int samples = Math.min(SAMPLES, bodies);
    double sum = 0;
    for (int s = 0; s < samples; s++) {
      int i = Share.of(bodies, s, samples).from();
      double[] exact = new double[3];
      Bodies.attract(position, i, exact, 0);
      double off = 0;
      double length = 0;
      for (int k = 0; k < 3; k++) {
        off += (accelerated[3 * i + k] - exact[k]) * (accelerated[3 * i + k] - exact[k]);
        length += exact[k] * exact[k];
      }
      sum += Math.sqrt(off / length);
    }
    return sum / samples;
  }
}
