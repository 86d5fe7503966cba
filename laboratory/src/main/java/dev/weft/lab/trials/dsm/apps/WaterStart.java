package dev.weft.lab.trials.dsm.apps;

import java.util.SplittableRandom;

/** Water molecules on a cubic lattice, with random orientations and random velocities of room temperature, without momentum; the same each time. */
final class WaterStart {
  private static final long SEED = 1992;
  /** Boltzmann's constant times 300 K. */
  private static final double TEMPERATURE = 249.4;

  private final double[] positions;
  private final double[] velocities;

  WaterStart(int side) {
    int molecules = side * side * side;
    this.positions = new double[molecules * WaterForces.MOLECULE];
    this.velocities = new double[molecules * WaterForces.MOLECULE];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < molecules; i++) {
      int at = i * WaterForces.MOLECULE;
      int layer = i / (side * side);
      positions[at] = (i % side + 0.5) * WaterForces.SPACING;
      positions[at + 1] = (i / side % side + 0.5) * WaterForces.SPACING;
      positions[at + 2] = (layer + 0.5) * WaterForces.SPACING;
      turn(random, at);
      for (int k = 0; k < WaterForces.MOLECULE; k++) {
        velocities[at + k] = gaussian(random) * StrictMath.sqrt(TEMPERATURE / WaterForces.MASSES[k / 3]);
      }
    }
    rest(molecules);
  }

  double[] positions() {
    return positions;
  }

  double[] velocities() {
    return velocities;
  }

  /** Places the hydrogens of the oxygen at {@code at}, in the plane of two random directions, both at their springs' lengths. */
  private void turn(SplittableRandom random, int at) {
    double[] along = direction(random);
    double[] other = direction(random);
    double dot = along[0] * other[0] + along[1] * other[1] + along[2] * other[2];
    double length = StrictMath.sqrt(1 - dot * dot);
    double half = WaterForces.BETWEEN_HYDROGENS / 2;
    double ahead = StrictMath.sqrt(WaterForces.BOND * WaterForces.BOND - half * half);
    for (int k = 0; k < 3; k++) {
      double aside = (other[k] - dot * along[k]) / length;
      positions[at + 3 + k] = positions[at + k] + ahead * along[k] + half * aside;
      positions[at + 6 + k] = positions[at + k] + ahead * along[k] - half * aside;
    }
  }

  private static double[] direction(SplittableRandom random) {
    double z = 2 * random.nextDouble() - 1;
    double angle = 2 * Math.PI * random.nextDouble();
    double flat = StrictMath.sqrt(1 - z * z);
    return new double[] {flat * StrictMath.cos(angle), flat * StrictMath.sin(angle), z};
  }

  /** Approximately normal: the sum of twelve uniform numbers has variance 1. */
  private static double gaussian(SplittableRandom random) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
      sum += random.nextDouble();
    }
    return sum;
  }

  private void rest(int molecules) {
    double molecule = WaterForces.MASSES[0] + WaterForces.MASSES[1] + WaterForces.MASSES[2];
    for (int axis = 0; axis < 3; axis++) {
      double momentum = 0;
      for (int k = axis; k < velocities.length; k += 3) {
        momentum += WaterForces.MASSES[k % WaterForces.MOLECULE / 3] * velocities[k];
      }
      for (int k = axis; k < velocities.length; k += 3) {
        velocities[k] -= momentum / (molecules * molecule);
      }
    }
  }
}
