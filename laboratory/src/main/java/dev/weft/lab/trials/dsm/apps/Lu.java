package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.util.List;

/**
 * Factors a dense matrix into a lower and an upper triangle by blocks, without pivoting. Elements are random; diagonal elements are ten times as
 * large. A block is a minipage, or several if it is larger than a page. Only its owner writes a block. Blocks are assigned to workers like the
 * squares of a repeated chessboard. A worker prefetches the blocks of others that it needs.
 *
 * <p>If the right side of the equations is the row sums, the solution is 1, within 1e-5.
 */
final class Lu extends SizedApplication<Lu.Size> {
  private static final double OFF_MAX = 1e-5;
  private static final int DIAGONAL_FACTOR = 10;
  /** Elements of a minipage at most: 4 KiB, a page. */
  private static final int UNIT_MAX = 512;

  /**
   * @param rows rows of the matrix, a multiple of {@code block}
   * @param block rows of a block
   */
  record Size(int rows, int block) {
    Size {
      if (block < 1 || rows < block || rows % block != 0) {
        throw new IllegalArgumentException(rows + " rows in blocks of " + block + ", must be a multiple of it");
      }
    }
  }

  Lu() {
    super("lu", "blocked LU factorization");
    size("small", new Size(128, 16));
    size("published", new Size(512, 16));
    size("osdi99", new Size(1024, 32));
  }

  @Override
  Work work(Worker worker, Size size) {
    return new Part(worker, size);
  }

  private static final class Part extends SharedWork {
    private final int rows;
    private final int b;
    /** Number of blocks along one side. */
    private final int side;
    /** Number of rows of the workers' chessboard. */
    private final int boardRows;
    private final SharedDoubles matrix;

    private Part(Worker worker, Size size) {
      super(worker);
      this.rows = size.rows();
      this.b = size.block();
      this.side = rows / b;
      this.boardRows = boardRows(worker.count());
      this.matrix = doubles("matrix", (long) rows * rows, SharingUnit.elements(Math.min(b * b, UNIT_MAX)));
    }

    /** The largest divisor that is not above the square root. */
    private static int boardRows(int count) {
      int found = 1;
      for (int i = 2; i * i <= count; i++) {
        found = count % i == 0 ? i : found;
      }
      return found;
    }

    private boolean owns(int i, int j) {
      int boardColumns = worker.count() / boardRows;
      return i % boardRows * boardColumns + j % boardColumns == worker.index();
    }

    /** An element of the matrix; any worker can compute it. */
    private double element(int row, int column) {
      double random = SplitMix.unit((long) row * rows + column);
      return row == column ? DIAGONAL_FACTOR * random : random;
    }

    @Override
    void fill() {
      double[] block = new double[b * b];
      for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
          if (owns(i, j)) {
            for (int k = 0; k < block.length; k++) {
              block[k] = element(i * b + k / b, j * b + k % b);
            }
            write(i, j, block);
          }
        }
      }
    }

    @Override
    void work() {
      for (int k = 0; k < side; k++) {
        if (owns(k, k)) {
          double[] diagonal = read(k, k);
          LuBlocks.factor(diagonal, b);
          write(k, k, diagonal);
          worker.compute(Operation.FLOATING, 2L * b * b * b / 3);
          worker.compute(Operation.ROOT, (long) b * b / 2);
        }
        meet();
        perimeter(k);
        meet();
        // No barrier after this: the owners of the next diagonal and perimeter have updated these blocks themselves here.
        inner(k);
      }
    }

    private void perimeter(int k) {
      double[] diagonal = null;
      for (int i = k + 1; i < side; i++) {
        if (owns(i, k) || owns(k, i)) {
          diagonal = diagonal == null ? read(k, k) : diagonal;
        }
        if (owns(i, k)) {
          double[] below = read(i, k);
          LuBlocks.divideByUpper(below, diagonal, b);
          write(i, k, below);
          worker.compute(Operation.FLOATING, (long) b * b * b);
          worker.compute(Operation.ROOT, (long) b * b);
        }
        if (owns(k, i)) {
          double[] right = read(k, i);
          LuBlocks.divideByLower(right, diagonal, b);
          write(k, i, right);
          worker.compute(Operation.FLOATING, (long) b * b * b);
        }
      }
    }

    private void inner(int k) {
      prefetch(k);
      double[][] above = new double[side][];
      for (int i = k + 1; i < side; i++) {
        double[] left = null;
        for (int j = k + 1; j < side; j++) {
          if (owns(i, j)) {
            left = left == null ? read(i, k) : left;
            above[j] = above[j] == null ? read(k, j) : above[j];
            double[] block = read(i, j);
            LuBlocks.subtractProduct(block, left, above[j], b);
            write(i, j, block);
            worker.compute(Operation.FLOATING, 2L * b * b * b);
          }
        }
      }
    }

    /** Prefetches the perimeter's blocks that this worker needs: those of its own rows and columns of blocks. */
    private void prefetch(int k) {
      for (int i = k + 1; i < side; i++) {
        boolean row = false;
        boolean column = false;
        for (int j = k + 1; j < side; j++) {
          row |= owns(i, j);
          column |= owns(j, i);
        }
        if (row) {
          matrix.prefetch(at(i, k), (long) b * b);
        }
        if (column) {
          matrix.prefetch(at(k, i), (long) b * b);
        }
      }
    }

    @Override
    public Outcome outcome() {
      double[] factors = new double[rows * rows];
      Digest digest = new Digest();
      for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
          double[] block = read(i, j);
          digest.add(block, block.length);
          for (int row = 0; row < b; row++) {
            System.arraycopy(block, row * b, factors, (i * b + row) * rows + j * b, b);
          }
        }
      }
      double off = 0;
      for (double x : solve(factors)) {
        off = Double.isNaN(x) ? Double.POSITIVE_INFINITY : Math.max(off, Math.abs(x - 1));
      }
      return new Outcome(List.of(rows + " x " + rows + " elements in blocks of " + b + " x " + b),
          List.of(new Check("solution", off <= OFF_MAX, "off 1 by " + off + ", may be " + OFF_MAX)), digest.value(), new double[0]);
    }

    /** Solves the equations whose right side is the row sums of the original matrix. */
    private double[] solve(double[] factors) {
      double[] x = new double[rows];
      for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < rows; j++) {
          sum += element(i, j);
        }
        for (int j = 0; j < i; j++) {
          sum -= factors[i * rows + j] * x[j];
        }
        x[i] = sum;
      }
      for (int i = rows - 1; i >= 0; i--) {
        for (int j = i + 1; j < rows; j++) {
          x[i] -= factors[i * rows + j] * x[j];
        }
        x[i] /= factors[i * rows + i];
      }
      return x;
    }

    private long at(int i, int j) {
      return ((long) i * side + j) * b * b;
    }

    private double[] read(int i, int j) {
      double[] block = new double[b * b];
      matrix.read(at(i, j), block, 0, block.length);
      return block;
    }

    private void write(int i, int j, double[] block) {
      matrix.write(at(i, j), block, 0, block.length);
    }
  }
}
