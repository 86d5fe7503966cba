package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;

/**
 * Bodies that attract each other; distant ones attract together, as cells of a tree. Space is cut into 64 cubes. Each worker builds the trees of some
 * cubes, so that all have about as many bodies. It stores them in minipages of its own, whose places it takes from a shared counter. Then each worker
 * walks all trees for each of its bodies, and fetches the minipages of the cells that it visits, once in each step.
 *
 * <p>Trees and the order of a walk do not depend on the builder: the result has the same bits with any number of workers.
 */
final class BarnesHut extends SizedApplication<BodyWork.Size> {
  /** The attraction of cells of several bodies is wrong by about a percent, and not exactly mutual. */
  private static final BodyWork.Tolerance TOLERANCE = new BodyWork.Tolerance(1e-3, 1e-3, 2e-2);

  BarnesHut() {
    super("barnes", "Barnes-Hut");
    size("small", new BodyWork.Size(1024, 3, 16));
    size("published", new BodyWork.Size(16_384, 3, 64));
    size("published-1", new BodyWork.Size(16_384, 3, 1));
  }

  @Override
  Work work(Worker worker, BodyWork.Size size) {
    return new Part(worker, size);
  }

  private static final class Part extends BodyWork {
    private static final int CELL = BodyTree.CELL;
    /** Cubes along one edge of space. */
    private static final int SIDE = 4;
    private static final int CUBES = SIDE * SIDE * SIDE;
    /** Cells of a minipage, 4 KiB. If each body has a minipage, each cell has one, too. */
    private static final int CHUNK_MAX = 64;
    /** Room for cells, for each body: its own cell, and those of several bodies; Plummer's model needs 1.6. */
    private static final int CELLS_PER_BODY = 3;
    /** FLOATING operations of visiting a cell. */
    private static final long VISIT_OPERATIONS = 8;

    private final int chunk;
    private final int chunksMax;
    private final SharedDoubles cells;
    /** Number of minipages of cells that are taken, by step. */
    private final SharedInts taken;
    /**
     * The first cell of each cube's tree: {@code NEXT} counts from the start of all cells, and the last word is its place; mass 0 if the tree is
     * empty.
     */
    private final SharedDoubles roots;
    /** Copies of cells; {@link #here} says which are valid. */
    private final double[] copy;
    private final boolean[] here;
    private final double[] rootCopy = new double[CUBES * CELL];
    /** Eight cells, each of eight cubes. */
    private final double[] octants = new double[8 * CELL];
    private double half;
    private long visits;
    private long attractions;

    private Part(Worker worker, BodyWork.Size size) {
      super(worker, size, TOLERANCE, true);
      this.chunk = size.chunk() == 1 ? 1 : CHUNK_MAX;
      this.chunksMax = (CELLS_PER_BODY * bodies + chunk - 1) / chunk + worker.count();
      this.cells = doubles("cells", (long) chunksMax * chunk * CELL, SharingUnit.elements((long) chunk * CELL));
      this.taken = intSums("taken", size.steps() + 1L, SharingUnit.whole());
      this.roots = doubles("roots", CUBES * CELL, SharingUnit.elements(CELL));
      this.copy = new double[chunksMax * chunk * CELL];
      this.here = new boolean[chunksMax];
    }

    @Override
    void accelerate(int step) {
      half = half();
      buildOwn(step);
      meet();
      roots.read(0, rootCopy, 0, rootCopy.length);
      Arrays.fill(here, false);
      for (int octant = 0; octant < 8; octant++) {
        join(octant);
      }
      for (int i = own.from(); i < own.to(); i++) {
        walk(i, 3 * (i - own.from()));
        sayWhatWasDone();
      }
    }

    /** Half the edge of space: a power of two, so that cubes' bounds are exact. */
    private double half() {
      double most = 0;
      for (double coordinate : all) {
        most = Math.max(most, Math.abs(coordinate));
      }
      worker.compute(Operation.FLOATING, all.length);
      return Math.scalb(1.0, Math.getExponent(most) + 1);
    }

    /** Cube of a body: three bits for its octant of space, then three for that octant's octant. */
    private int cube(int body) {
      int number = 0;
      for (int level = 1; level >= 0; level--) {
        for (int k = 0; k < 3; k++) {
          int along = (int) ((all[3 * body + k] + half) * SIDE / (2 * half));
          number = number << 1 | along >> level & 1;
        }
      }
      return number;
    }

    private double middle(int cube, int axis) {
      int bit = 4 >> axis;
      return BodyTree.side(cube >> 3, bit) * half / 2 + BodyTree.side(cube & 7, bit) * half / 4;
    }

    /** Builds the trees of this worker's cubes: those whose first body, in the order of cubes, is in its share of all bodies. */
    private void buildOwn(int step) {
      int[] begin = new int[CUBES + 1];
      int[] sorted = sortByCubes(begin);
      BodyTree tree = new BodyTree(all);
      double[] root = new double[CUBES * CELL];
      int[] first = new int[CUBES];
      for (int cube = 0; cube < CUBES; cube++) {
        if (builds(begin[cube]) && begin[cube] < begin[cube + 1]) {
          double[] middle = {middle(cube, 0), middle(cube, 1), middle(cube, 2)};
          first[cube] = tree.build(sorted, begin[cube], begin[cube + 1], middle, half / SIDE);
        }
      }
      int base = place(step, tree);
      for (int cube = 0; cube < CUBES; cube++) {
        if (builds(begin[cube])) {
          if (begin[cube] < begin[cube + 1]) {
            System.arraycopy(tree.cells(), first[cube] * CELL, root, cube * CELL, CELL);
            root[cube * CELL + CELL - 1] = base + first[cube];
          }
          roots.write((long) cube * CELL, root, cube * CELL, CELL);
        }
      }
    }

    private boolean builds(int firstBody) {
      return (int) ((long) Math.min(firstBody, bodies - 1) * worker.count() / bodies) == worker.index();
    }

    private int[] sortByCubes(int[] begin) {
      for (int i = 0; i < bodies; i++) {
        begin[cube(i) + 1]++;
      }
      for (int cube = 0; cube < CUBES; cube++) {
        begin[cube + 1] += begin[cube];
      }
      int[] next = begin.clone();
      int[] sorted = new int[bodies];
      for (int i = 0; i < bodies; i++) {
        sorted[next[cube(i)]++] = i;
      }
      worker.compute(Operation.FLOATING, 2L * 3 * 4 * bodies);
      worker.compute(Operation.INTEGER, 2L * 8 * bodies);
      return sorted;
    }

    /** Writes the cells to minipages that no other worker has; returns the number of the first cell. */
    private int place(int step, BodyTree tree) {
      int chunksOwn = (tree.count() + chunk - 1) / chunk;
      int firstChunk = taken.getAndAdd(step, chunksOwn);
      if (firstChunk + chunksOwn > chunksMax) {
        throw new IllegalStateException("trees of " + bodies + " bodies have more than " + chunksMax * chunk + " cells");
      }
      double[] built = tree.cells();
      int base = firstChunk * chunk;
      for (int cell = 0; cell < tree.count(); cell++) {
        built[cell * CELL + BodyTree.NEXT] += base;
      }
      cells.write((long) base * CELL, built, 0, tree.count() * CELL);
      // Sorting a body into an octant, for each cell around it: about the logarithm to base 8 of the number of cells.
      long levels = tree.count() == 0 ? 0 : (64 - Long.numberOfLeadingZeros(tree.count())) / 3;
      worker.compute(Operation.INTEGER, 10 * levels * tree.count());
      worker.compute(Operation.FLOATING, 12L * tree.count());
      return base;
    }

    /** Makes the cell of an octant of space from the cells of its cubes. */
    private void join(int octant) {
      double[] sum = new double[4];
      for (int k = 0; k < 8; k++) {
        BodyTree.add(rootCopy, (octant * 8 + k) * CELL, sum);
      }
      octants[octant * CELL] = 0;
      if (sum[0] > 0) {
        BodyTree.finish(octants, octant * CELL, sum, BodyTree.side(octant, 4) * half / 2, BodyTree.side(octant, 2) * half / 2,
            BodyTree.side(octant, 1) * half / 2, half / 2);
      }
    }

    private void walk(int body, int to) {
      for (int octant = 0; octant < 8; octant++) {
        if (octants[octant * CELL] > 0 && opens(octants, octant * CELL, body, to)) {
          for (int cube = 8 * octant; cube < 8 * octant + 8; cube++) {
            if (rootCopy[cube * CELL] > 0) {
              walk(body, to, (int) rootCopy[cube * CELL + CELL - 1], (int) rootCopy[cube * CELL + BodyTree.NEXT]);
            }
          }
        }
      }
    }

    /** Walks through the cells of one tree. */
    private void walk(int body, int to, int first, int end) {
      int cell = first;
      while (cell < end) {
        if (!here[cell / chunk]) {
          fetch(cell / chunk);
        }
        int at = cell * CELL;
        boolean opened = copy[at + BodyTree.BODY] != body && opens(copy, at, body, to);
        int next = opened ? cell + 1 : (int) copy[at + BodyTree.NEXT];
        if (next <= cell) {
          throw new IllegalStateException("cell " + next + " stands behind cell " + cell + " of a tree from " + first + " to " + end);
        }
        cell = next;
      }
    }

    private void fetch(int number) {
      int at = number * chunk * CELL;
      cells.read(at, copy, at, chunk * CELL);
      here[number] = true;
    }

    /** Whether the body is so near that it opens the cell; otherwise the cell attracts it. */
    private boolean opens(double[] from, int at, int body, int to) {
      visits++;
      double dx = from[at + BodyTree.CENTRE] - all[3 * body];
      double dy = from[at + BodyTree.CENTRE + 1] - all[3 * body + 1];
      double dz = from[at + BodyTree.CENTRE + 2] - all[3 * body + 2];
      double squared = dx * dx + dy * dy + dz * dz;
      if (squared < from[at + BodyTree.OPEN]) {
        return true;
      }
      attractions++;
      double soft = squared + Bodies.SOFTENING_SQUARED;
      double pull = from[at + BodyTree.MASS] / (soft * Math.sqrt(soft));
      acceleration[to] += pull * dx;
      acceleration[to + 1] += pull * dy;
      acceleration[to + 2] += pull * dz;
      return false;
    }

    private void sayWhatWasDone() {
      worker.compute(Operation.FLOATING, VISIT_OPERATIONS * visits + (Bodies.OPERATIONS - VISIT_OPERATIONS) * attractions);
      worker.compute(Operation.ROOT, 2 * attractions);
      visits = 0;
      attractions = 0;
    }
  }
}
