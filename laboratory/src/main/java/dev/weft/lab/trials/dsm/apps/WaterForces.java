package dev.weft.lab.trials.dsm.apps;

/**
 * Flexible water molecules in a periodic cube. Within a molecule there are three springs. Between two molecules there are charges at all three atoms,
 * and the attraction and repulsion of their oxygens, shifted so that force and energy reach zero at the cutoff without a step. Charges, sizes and
 * springs are about those of the SPC model. Lengths are in Angstrom, times in ps, masses in u, energies in u A^2 / ps^2 (0.01 kJ/mol).
 *
 * <p>A molecule is nine doubles: x, y, z of the oxygen and of both hydrogens.
 */
final class WaterForces {
  /** Number of doubles of a molecule. */
  static final int MOLECULE = 9;
  static final int ATOMS = 3;
  static final double[] MASSES = {15.999, 1.008, 1.008};
  /** Edge of a molecule's share of space, for water at room temperature. */
  static final double SPACING = 3.1034;
  static final double BOND = 1.0;
  static final double BETWEEN_HYDROGENS = 1.633;
  /** FLOATING operations of a pair of molecules within the cutoff, besides 18 of ROOT. */
  static final long OPERATIONS = 270;

  private static final double[] CHARGES = {-0.82, 0.41, 0.41};
  /** Energy of two unit charges at a distance of 1. */
  private static final double COULOMB = 138_935.458;
  private static final double DEPTH = 65.0;
  private static final double DIAMETER = 3.166;
  private static final double BOND_SPRING = 345_000;
  private static final double HYDROGEN_SPRING = 115_000;
  /** Maximum distance of an atom from its oxygen, with stretched springs. */
  private static final double REACH = 1.3;

  private final double edge;
  private final double cutoff;
  /** Squared distance of oxygens above which no atoms are within the cutoff. */
  private final double apart;
  private final double dispersionAtCutoff;
  private final double dispersionForceAtCutoff;

  /** @param side molecules along an edge of the cube, 3 or more */
  WaterForces(int side) {
    this.edge = side * SPACING;
    // So that two molecules never have two images within the cutoff.
    this.cutoff = edge / 2 - 2 * REACH;
    this.apart = edge / 2 * (edge / 2);
    double ratio = DIAMETER / cutoff;
    double sixth = ratio * ratio * ratio * ratio * ratio * ratio;
    this.dispersionAtCutoff = 4 * DEPTH * sixth * (sixth - 1);
    this.dispersionForceAtCutoff = 24 * DEPTH * sixth * (2 * sixth - 1) / cutoff;
  }

  /** Adds the forces between molecules {@code i} and {@code j} to both; returns their energy. */
  double between(double[] all, int i, int j, double[] forces) {
    int a = i * MOLECULE;
    int b = j * MOLECULE;
    double shiftX = edge * Math.rint((all[b] - all[a]) / edge);
    double shiftY = edge * Math.rint((all[b + 1] - all[a + 1]) / edge);
    double shiftZ = edge * Math.rint((all[b + 2] - all[a + 2]) / edge);
    double ox = all[b] - all[a] - shiftX;
    double oy = all[b + 1] - all[a + 1] - shiftY;
    double oz = all[b + 2] - all[a + 2] - shiftZ;
    if (ox * ox + oy * oy + oz * oz >= apart) {
      return 0;
    }
    double energy = 0;
    for (int p = 0; p < ATOMS; p++) {
      for (int q = 0; q < ATOMS; q++) {
        int at = a + 3 * p;
        int bt = b + 3 * q;
        double dx = all[bt] - all[at] - shiftX;
        double dy = all[bt + 1] - all[at + 1] - shiftY;
        double dz = all[bt + 2] - all[at + 2] - shiftZ;
        double squared = dx * dx + dy * dy + dz * dz;
        if (squared < cutoff * cutoff) {
          double distance = Math.sqrt(squared);
          double charges = COULOMB * CHARGES[p] * CHARGES[q];
          double push = charges * (1 / squared - 1 / (cutoff * cutoff));
          energy += charges * (1 / distance - 1 / cutoff + (distance - cutoff) / (cutoff * cutoff));
          if (p == 0 && q == 0) {
            double sixth = DIAMETER * DIAMETER / squared;
            sixth *= sixth * sixth;
            push += 24 * DEPTH * sixth * (2 * sixth - 1) / distance - dispersionForceAtCutoff;
            energy += 4 * DEPTH * sixth * (sixth - 1) - dispersionAtCutoff + (distance - cutoff) * dispersionForceAtCutoff;
          }
          pull(forces, at, bt, dx, dy, dz, -push / distance);
        }
      }
    }
    return energy;
  }

  /** Adds the forces within molecule {@code i} to {@code forces}, from {@code to} on; returns their energy. */
  static double within(double[] all, int i, double[] forces, int to) {
    return spring(all, i, forces, to, 0, 3, BOND, BOND_SPRING) + spring(all, i, forces, to, 0, 6, BOND, BOND_SPRING)
        + spring(all, i, forces, to, 3, 6, BETWEEN_HYDROGENS, HYDROGEN_SPRING);
  }

  private static double spring(double[] all, int i, double[] forces, int to, int a, int b, double length, double stiffness) {
    int at = i * MOLECULE + a;
    int bt = i * MOLECULE + b;
    double dx = all[bt] - all[at];
    double dy = all[bt + 1] - all[at + 1];
    double dz = all[bt + 2] - all[at + 2];
    double distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
    double longer = distance - length;
    pull(forces, to + a, to + b, dx, dy, dz, stiffness * longer / distance);
    return stiffness * longer * longer / 2;
  }

  /** Pulls the atoms at {@code a} and {@code b}, at this distance, towards each other. */
  private static void pull(double[] forces, int a, int b, double dx, double dy, double dz, double factor) {
    forces[a] += factor * dx;
    forces[a + 1] += factor * dy;
    forces[a + 2] += factor * dz;
    forces[b] -= factor * dx;
    forces[b + 1] -= factor * dy;
    forces[b + 2] -= factor * dz;
  }

  /** Kinetic energy of the atoms with these velocities, molecule by molecule. */
  static double kinetic(double[] velocities) {
    double sum = 0;
    for (int k = 0; k < velocities.length; k++) {
      sum += MASSES[k % MOLECULE / 3] * velocities[k] * velocities[k];
    }
    return sum / 2;
  }
}
