package dev.weft.lab.trials.dsm.apps;

import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;

/**
 * Bodies of equal mass, 1 in total, that attract each other: Plummer's model with radius 1 and gravitational constant 1, placed as by Aarseth, Henon
 * and Wielen (1974). Coordinates are x, y, z, one body after the other. Bodies are in spatial order, so that a range of them lies together.
 */
final class Bodies {
  /** Softening length, as in SPLASH-2. */
  static final double SOFTENING = 0.05;
  static final double SOFTENING_SQUARED = SOFTENING * SOFTENING;
  /** FLOATING operations of one attraction, besides two of ROOT. */
  static final long OPERATIONS = 18;

  private static final long SEED = 1974;
  /** Bodies farther out are left out, as usual: they are few, and would make the space large. */
  private static final double RADIUS_MAX = 9;
  /** Bits of a coordinate in the spatial order. */
  private static final int ORDER_BITS = 20;

  private final int count;
  private final double[] positions;
  private final double[] velocities;

  Bodies(double[] positions, double[] velocities) {
    this.count = positions.length / 3;
    this.positions = positions;
    this.velocities = velocities;
  }

  /** The same bodies each time; the centre of mass rests at the origin. */
  static Bodies plummer(int count) {
    SplittableRandom random = new SplittableRandom(SEED);
    double[][] each = new double[count][];
    for (int i = 0; i < count; i++) {
      each[i] = body(random);
    }
    Arrays.sort(each, Comparator.comparingLong(Bodies::order));
    for (int k = 0; k < 6; k++) {
      double sum = 0;
      for (double[] body : each) {
        sum += body[k];
      }
      for (double[] body : each) {
        body[k] -= sum / count;
      }
    }
    double[] positions = new double[3 * count];
    double[] velocities = new double[3 * count];
    for (int i = 0; i < count; i++) {
      System.arraycopy(each[i], 0, positions, 3 * i, 3);
      System.arraycopy(each[i], 3, velocities, 3 * i, 3);
    }
    return new Bodies(positions, velocities);
  }

  private static double[] body(SplittableRandom random) {
    double radius = Double.POSITIVE_INFINITY;
    while (radius > RADIUS_MAX) {
      radius = 1 / StrictMath.sqrt(StrictMath.pow(random.nextDouble(), -2.0 / 3) - 1);
    }
    double speed = 0;
    double density = 1;
    while (density > speed * speed * StrictMath.pow(1 - speed * speed, 3.5)) {
      speed = random.nextDouble();
      density = random.nextDouble() * 0.1;
    }
    double[] body = new double[6];
    direction(random, radius, body, 0);
    direction(random, speed * StrictMath.sqrt(2 / StrictMath.sqrt(1 + radius * radius)), body, 3);
    return body;
  }

  private static void direction(SplittableRandom random, double length, double[] to, int at) {
    double z = 2 * random.nextDouble() - 1;
    double angle = 2 * Math.PI * random.nextDouble();
    double flat = StrictMath.sqrt(1 - z * z);
    to[at] = length * flat * StrictMath.cos(angle);
    to[at + 1] = length * flat * StrictMath.sin(angle);
    to[at + 2] = length * z;
  }

  /** Place on a curve through space, made of the coordinates' bits in turn. */
  private static long order(double[] body) {
    long place = 0;
    for (int bit = ORDER_BITS - 1; bit >= 0; bit--) {
      for (int k = 0; k < 3; k++) {
        long coordinate = (long) ((body[k] / RADIUS_MAX + 1) / 2 * (1 << ORDER_BITS));
        place = place << 1 | coordinate >> bit & 1;
      }
    }
    return place;
  }

  double[] positions() {
    return positions;
  }

  double[] velocities() {
    return velocities;
  }

  /** Kinetic plus potential energy. */
  double energy() {
    double kinetic = 0;
    for (double v : velocities) {
      kinetic += v * v;
    }
    double potential = 0;
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        double dx = positions[3 * j] - positions[3 * i];
        double dy = positions[3 * j + 1] - positions[3 * i + 1];
        double dz = positions[3 * j + 2] - positions[3 * i + 2];
        potential -= 1 / Math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING_SQUARED);
      }
    }
    return kinetic / 2 / count + potential / count / count;
  }

  /** The largest of the three components of the total momentum. */
  double momentum() {
    double most = 0;
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int i = 0; i < count; i++) {
        sum += velocities[3 * i + k];
      }
      most = Math.max(most, Math.abs(sum) / count);
    }
    return most;
  }

  /** Adds to {@code to}, from {@code at} on, the acceleration of body {@code i} by all bodies, in order. The body itself adds 0. */
  static void attract(double[] positions, int i, double[] to, int at) {
    int bodies = positions.length / 3;
    double mass = 1.0 / bodies;
    double x = positions[3 * i];
    double y = positions[3 * i + 1];
    double z = positions[3 * i + 2];
    double ax = 0;
    double ay = 0;
    double az = 0;
    for (int j = 0; j < positions.length; j += 3) {
      double dx = positions[j] - x;
      double dy = positions[j + 1] - y;
      double dz = positions[j + 2] - z;
      double squared = dx * dx + dy * dy + dz * dz + SOFTENING_SQUARED;
      double pull = mass / (squared * Math.sqrt(squared));
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    to[at] += ax;
    to[at + 1] += ay;
    to[at + 2] += az;
  }
}
