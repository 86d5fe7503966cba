package dev.weft.dsm.apps;

import java.util.Arrays;

/**
 * Trees of bodies in cubes, built by one worker, and what a body's walk needs of them. A cell is 8 doubles; cells stand in the order of a walk that
 * opens all of them, so that a cell's children follow it, and its {@code NEXT} says where a walk goes on that does not open it.
 *
 * <p>A cell is opened by bodies that are nearer to its centre of mass than its edge / tolerance and the distance of that centre from the middle of the
 * cube (Barnes 1994): so that a cell never attracts a body within it.
 */
final class BodyTree {
  /** Doubles of a cell. */
  static final int CELL = 8;
  static final int MASS = 0;
  /** Centre of mass: three doubles. */
  static final int CENTRE = 1;
  /** Square of the distance below which it is opened; 0 for a body. */
  static final int OPEN = 4;
  /** Number of the cell behind all that are in this one, from the first that this worker built. */
  static final int NEXT = 5;
  /** Number of the body; -1 for a cell of several. */
  static final int BODY = 6;

  /** The ratio of a cell's edge and its distance up to which it attracts as a whole: that of SPLASH-2. */
  static final double TOLERANCE = 1.0;
  /** Bodies that are still together after so many halvings are in one place. */
  private static final int DEPTH_MAX = 60;

  private final double[] positions;
  private final double mass;
  private double[] cells = new double[1024 * CELL];
  private int count;

  /** @param positions of all bodies; they are not changed meanwhile */
  BodyTree(double[] positions) {
    this.positions = positions;
    this.mass = 3.0 / positions.length;
  }

  /** Cells so far, of all trees. */
  int count() {
    return count;
  }

  double[] cells() {
    return cells;
  }

  /**
   * Builds the tree of some bodies, which the call sorts.
   *
   * @param middle of the cube, which has them all
   * @param half of its edge
   * @return number of its first cell
   */
  int build(int[] ids, int from, int to, double[] middle, double half) {
    return build(ids, from, to, middle[0], middle[1], middle[2], half, 0);
  }

  private int build(int[] ids, int from, int to, double x, double y, double z, double half, int depth) {
    int cell = count++;
    cells = count * CELL > cells.length ? Arrays.copyOf(cells, 2 * cells.length) : cells;
    if (to - from == 1) {
      leaf(cell, ids[from]);
      return cell;
    }
    if (depth == DEPTH_MAX) {
      throw new IllegalStateException("bodies " + ids[from] + " and " + ids[from + 1] + " are in one place");
    }
    int[] bounds = sort(ids, from, to, x, y, z);
    double[] sum = new double[4];
    for (int octant = 0; octant < 8; octant++) {
      if (bounds[octant] < bounds[octant + 1]) {
        int child = build(ids, bounds[octant], bounds[octant + 1], x + side(octant, 4) * half / 2, y + side(octant, 2) * half / 2,
            z + side(octant, 1) * half / 2, half / 2, depth + 1);
        add(cells, child * CELL, sum);
      }
    }
    finish(cells, cell * CELL, sum, x, y, z, half);
    cells[cell * CELL + NEXT] = count;
    cells[cell * CELL + BODY] = -1;
    return cell;
  }

  private void leaf(int cell, int body) {
    int at = cell * CELL;
    cells[at + MASS] = mass;
    System.arraycopy(positions, 3 * body, cells, at + CENTRE, 3);
    cells[at + OPEN] = 0;
    cells[at + NEXT] = count;
    cells[at + BODY] = body;
  }

  /** Sorts by octants, keeping the order within each; answers where each begins. */
  private int[] sort(int[] ids, int from, int to, double x, double y, double z) {
    int[] bounds = new int[9];
    for (int i = from; i < to; i++) {
      bounds[octant(ids[i], x, y, z) + 1]++;
    }
    bounds[0] = from;
    for (int octant = 0; octant < 8; octant++) {
      bounds[octant + 1] += bounds[octant];
    }
    int[] next = bounds.clone();
    int[] sorted = new int[to - from];
    for (int i = from; i < to; i++) {
      sorted[next[octant(ids[i], x, y, z)]++ - from] = ids[i];
    }
    System.arraycopy(sorted, 0, ids, from, sorted.length);
    return bounds;
  }

  private int octant(int body, double x, double y, double z) {
    return (positions[3 * body] >= x ? 4 : 0) + (positions[3 * body + 1] >= y ? 2 : 0) + (positions[3 * body + 2] >= z ? 1 : 0);
  }

  static int side(int octant, int axis) {
    return (octant & axis) != 0 ? 1 : -1;
  }

  /** Adds the mass and moments of the cell at {@code at} to those in {@code sum}. */
  static void add(double[] cells, int at, double[] sum) {
    double mass = cells[at + MASS];
    sum[0] += mass;
    for (int k = 0; k < 3; k++) {
      sum[1 + k] += mass * cells[at + CENTRE + k];
    }
  }

  /** Makes a cell of what was added up, in the cube of that middle. */
  static void finish(double[] cells, int at, double[] sum, double x, double y, double z, double half) {
    cells[at + MASS] = sum[0];
    for (int k = 0; k < 3; k++) {
      cells[at + CENTRE + k] = sum[1 + k] / sum[0];
    }
    double dx = cells[at + CENTRE] - x;
    double dy = cells[at + CENTRE + 1] - y;
    double dz = cells[at + CENTRE + 2] - z;
    double open = 2 * half / TOLERANCE + Math.sqrt(dx * dx + dy * dy + dz * dz);
    cells[at + OPEN] = open * open;
  }
}
