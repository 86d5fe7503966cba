package dev.weft.lab.trials.dsm.apps;

import java.util.Arrays;

/**
 * Trees of bodies in cubes, as one worker builds them, and the data for a body's walk. A cell has 8 doubles. Cells are in the order of a walk that
 * opens all of them: a cell's children follow it, and its {@code NEXT} says where a walk continues that does not open it.
 *
 * <p>A body opens a cell if its distance to the cell's centre of mass is less than the sum of edge / tolerance and the distance of that centre from
 * the middle of the cube (Barnes 1994). So a cell never attracts a body within it.
 */
final class BodyTree {
  /** Number of doubles of a cell. */
  static final int CELL = 8;
  static final int MASS = 0;
  /** Centre of mass: three doubles. */
  static final int CENTRE = 1;
  /** Square of the distance below which a body opens the cell; 0 for a body. */
  static final int OPEN = 4;
  /** Number of the cell after all cells within this one, counted from the first cell of this worker. */
  static final int NEXT = 5;
  /** Number of the body; -1 for a cell of several bodies. */
  static final int BODY = 6;

  /** Ratio of a cell's edge to its distance up to which it attracts as a whole; as in SPLASH-2. */
  static final double TOLERANCE = 1.0;
  /** Bodies that are still together after this many halvings are in the same place. */
  private static final int DEPTH_MAX = 60;

  private final double[] positions;
  private final double mass;
  private double[] cells = new double[1024 * CELL];
  private int count;

  /** @param positions of all bodies; must not change meanwhile */
  BodyTree(double[] positions) {
    this.positions = positions;
    this.mass = 3.0 / positions.length;
  }

  /** Number of cells so far, of all trees. */
  int count() {
    return count;
  }

  double[] cells() {
    return cells;
  }

  /**
   * Builds the tree of some bodies; reorders {@code ids}.
   *
   * @param middle middle of the cube, which contains all of them
   * @param half half of the cube's edge
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

  /** Sorts by octants, keeping the order within each; returns where each octant starts. */
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

  /** Makes a cell from a sum, for the cube with this middle. */
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
