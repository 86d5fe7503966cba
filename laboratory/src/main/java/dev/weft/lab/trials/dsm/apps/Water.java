package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;
import java.util.List;

/**
 * Water molecules, all pairs within a cutoff, after the paper's Water with the size of SPLASH-2's, but with our own definition of forces
 * ({@link WaterForces}). A worker computes each of its molecules with the half of all molecules that follows it, and sums up locally. Once in each
 * step it adds the sums to the shared forces, chunk by chunk of molecules, each under its lock. A chunk is a minipage.
 *
 * <p>The order of summation depends on the order in which workers get the locks.
 */
final class Water extends SizedApplication<Water.Size> {
  /** Length of a time step in ps. */
  private static final double STEP = 0.000_15;
  private static final double ENERGY_OFF_MAX = 1e-3;
  private static final double MOMENTUM_OFF_MAX = 1e-12;
  private static final double FORCE_OFF_MAX = 1e-11;
  private static final int MOLECULE = WaterForces.MOLECULE;

  /**
   * @param side molecules along an edge of the cube, 3 or more
   * @param chunk molecules of a minipage
   */
  record Size(int side, int steps, int chunk) {
    Size {
      if (side < 3) {
        throw new IllegalArgumentException(side + " molecules along an edge, must be 3 or more for a cutoff to fit");
      }
    }
  }

  Water() {
    super("water", "water molecules, all pairs");
    size("small", new Size(4, 3, 4));
    size("published", new Size(8, 3, 8));
    size("published-1", new Size(8, 3, 1));
  }

  @Override
  Work work(Worker worker, Size size) {
    return new Part(worker, size);
  }

  private static final class Part extends SharedWork {
    private final Size size;
    private final int molecules;
    private final int chunks;
    private final Share ownChunks;
    private final Share own;
    private final WaterForces model;
    private final SharedDoubles positions;
    private final SharedDoubles forces;
    private final SharedDoubles velocities;
    /** Potential and kinetic energy, by steps. */
    private final SharedDoubles energies;
    private final DsmLock[] locks;
    private final double[] all;
    private final double[] force;
    private final double[] velocity;

    private Part(Worker worker, Size size) {
      super(worker);
      this.size = size;
      this.molecules = size.side() * size.side() * size.side();
      this.chunks = (molecules + size.chunk() - 1) / size.chunk();
      this.ownChunks = mine(chunks);
      this.own = ownChunks.times(size.chunk(), molecules);
      this.model = new WaterForces(size.side());
      this.positions = moleculeDoubles("positions");
      this.forces = moleculeDoubles("forces");
      this.velocities = moleculeDoubles("velocities");
      this.energies = doubleSums("energies", 2L * (size.steps() + 1), SharingUnit.elements(2));
      this.locks = locks("chunk", chunks);
      this.all = new double[molecules * MOLECULE];
      this.force = new double[own.size() * MOLECULE];
      this.velocity = new double[own.size() * MOLECULE];
    }

    private SharedDoubles moleculeDoubles(String what) {
      return doubles(what, (long) molecules * MOLECULE, SharingUnit.elements((long) size.chunk() * MOLECULE));
    }

    @Override
    void fill() {
      WaterStart start = new WaterStart(size.side());
      int at = own.from() * MOLECULE;
      positions.write(at, start.positions(), at, velocity.length);
      System.arraycopy(start.velocities(), at, velocity, 0, velocity.length);
    }

    @Override
    void work() {
      for (int step = 0; step <= size.steps(); step++) {
        positions.read(0, all, 0, all.length);
        double potential = addForces();
        meet();
        potential += takeForces();
        if (step > 0) {
          kick();
        }
        energies.getAndAdd(2L * step, potential);
        energies.getAndAdd(2L * step + 1, WaterForces.kinetic(velocity));
        if (step < size.steps()) {
          kick();
          drift();
          meet();
        }
      }
    }

    /** Adds the forces between this worker's molecules and the half that follows each; returns their energy. */
    private double addForces() {
      double[] sums = new double[all.length];
      boolean[] touched = new boolean[chunks];
      double energy = 0;
      for (int i = own.from(); i < own.to(); i++) {
        // Opposite molecules meet from both sides: the lower one computes the pair.
        int partners = 2 * i < molecules ? molecules / 2 : (molecules - 1) / 2;
        touched[i / size.chunk()] = true;
        for (int k = 1; k <= partners; k++) {
          int j = (i + k) % molecules;
          energy += model.between(all, i, j, sums);
          touched[j / size.chunk()] = true;
        }
        worker.compute(Operation.FLOATING, WaterForces.OPERATIONS * partners);
        worker.compute(Operation.ROOT, 2L * 9 * partners);
      }
      double[] words = new double[size.chunk() * MOLECULE];
      for (int k = 0; k < chunks; k++) {
        int chunk = (ownChunks.from() + k) % chunks;
        if (touched[chunk]) {
          add(chunk, sums, words);
        }
      }
      return energy;
    }

    private void add(int chunk, double[] sums, double[] words) {
      Share of = new Share(chunk, chunk + 1).times(size.chunk(), molecules);
      int at = of.from() * MOLECULE;
      int count = of.size() * MOLECULE;
      locks[chunk].acquire();
      forces.read(at, words, 0, count);
      for (int k = 0; k < count; k++) {
        words[k] += sums[at + k];
      }
      forces.write(at, words, 0, count);
      locks[chunk].release();
      worker.compute(Operation.FLOATING, count);
    }

    /** Takes the summed forces on this worker's molecules, and adds the forces within them; returns the energy of the latter. */
    private double takeForces() {
      int at = own.from() * MOLECULE;
      forces.read(at, force, 0, force.length);
      // No worker adds until all have moved, and met.
      forces.write(at, new double[force.length], 0, force.length);
      double energy = 0;
      for (int i = own.from(); i < own.to(); i++) {
        energy += WaterForces.within(all, i, force, (i - own.from()) * MOLECULE);
      }
      worker.compute(Operation.FLOATING, 75L * own.size());
      worker.compute(Operation.ROOT, 6L * own.size());
      return energy;
    }

    private void kick() {
      for (int k = 0; k < velocity.length; k++) {
        velocity[k] += force[k] * (STEP / 2 / WaterForces.MASSES[k % MOLECULE / 3]);
      }
      worker.compute(Operation.FLOATING, 3L * velocity.length);
    }

    private void drift() {
      int at = own.from() * MOLECULE;
      for (int k = 0; k < velocity.length; k++) {
        all[at + k] += velocity[k] * STEP;
      }
      positions.write(at, all, at, velocity.length);
      worker.compute(Operation.FLOATING, 2L * velocity.length);
    }

    @Override
    void collect() {
      velocities.write((long) own.from() * MOLECULE, velocity, 0, velocity.length);
      forces.write((long) own.from() * MOLECULE, force, 0, force.length);
    }

    @Override
    public Outcome outcome() {
      double[] position = read(positions, all.length);
      double[] speed = read(velocities, all.length);
      double[] energy = read(energies, 2 * (size.steps() + 1));
      double kinetic = energy[1];
      double change = energy[energy.length - 2] + energy[energy.length - 1] - energy[0] - kinetic;
      double[] exact = new double[all.length];
      double potential = alone(position, exact);
      double[] values = Arrays.copyOf(position, 2 * position.length);
      System.arraycopy(speed, 0, values, position.length, speed.length);
      return new Outcome(
          List.of("%d molecules, %d steps of %s ps, energy %.6e and %.6e kinetic at first, changed by %.1e"
              .formatted(molecules, size.steps(), STEP, energy[0], kinetic, change)),
          List.of(check("energy", Math.abs(change / kinetic), ENERGY_OFF_MAX), check("momentum", momentum(speed), MOMENTUM_OFF_MAX),
              check("potential", Math.abs(energy[energy.length - 2] / potential - 1), FORCE_OFF_MAX),
              check("kinetic", Math.abs(energy[energy.length - 1] / WaterForces.kinetic(speed) - 1), FORCE_OFF_MAX),
              check("forces", off(read(forces, all.length), exact), FORCE_OFF_MAX)),
          0, values);
    }

    /** Computes the forces of all molecules at these positions, by one worker; returns their energy. */
    private double alone(double[] position, double[] to) {
      double energy = 0;
      for (int i = 0; i < molecules; i++) {
        for (int j = i + 1; j < molecules; j++) {
          energy += model.between(position, i, j, to);
        }
        energy += WaterForces.within(position, i, to, i * MOLECULE);
      }
      return energy;
    }

    /** The largest component of the total momentum, relative to the sum of all absolute values. */
    private static double momentum(double[] speed) {
      double most = 0;
      double amounts = 0;
      for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (int k = axis; k < speed.length; k += 3) {
          double one = WaterForces.MASSES[k % MOLECULE / 3] * speed[k];
          sum += one;
          amounts += Math.abs(one);
        }
        most = Math.max(most, Math.abs(sum));
      }
      return most / amounts;
    }

    /** The largest difference, relative to the largest absolute value. */
    private static double off(double[] found, double[] expected) {
      double most = 0;
      double scale = 0;
      for (int k = 0; k < found.length; k++) {
        double off = Math.abs(found[k] - expected[k]);
        most = Double.isNaN(off) ? Double.POSITIVE_INFINITY : Math.max(most, off);
        scale = Math.max(scale, Math.abs(expected[k]));
      }
      return most / scale;
    }

    private static Check check(String name, double found, double max) {
      return new Check(name, found <= max, "off by %.2e, may be %.2e".formatted(found, max));
    }

    private static double[] read(SharedDoubles from, int count) {
      double[] read = new double[count];
      from.read(0, read, 0, count);
      return read;
    }
  }
}
