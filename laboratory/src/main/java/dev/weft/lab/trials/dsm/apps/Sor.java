package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Red-black successive over-relaxation with omega 1: each inner point becomes the mean of its four neighbours, points of odd row + column first. Row
 * 0 and column 0 are 1, all other points are 0 at first. A row is a minipage. A worker owns a band of rows and writes only these. In each half of an
 * iteration it first reads one row of either neighbour.
 *
 * <p>A neighbour's row may be read while its owner writes it: only points of the colour that is not being written are used.
 */
final class Sor extends SizedApplication<Sor.Size> {
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE;

  /**
   * @param rows number of rows including borders, 3 or more
   * @param points points of a row including borders, 3 or more
   * @param sum expected sum of all points at the end, added row by row; NaN if unknown
   */
  record Size(int rows, int points, int iterations, double sum) {}

  Sor() {
    super("sor", "red-black successive over-relaxation");
    size("small", new Size(130, 130, 20, 1028.5047765863183));
    size("published", new Size(1024, 1024, 20, 8322.377428306461));
    size("osdi99", new Size(32_768, 64, 10, Double.NaN));
  }

  @Override
  Work work(Worker worker, Size size) {
    return new Part(worker, size);
  }

  private static final class Part extends SharedWork {
    private final Size size;
    private final int rows;
    private final int points;
    private final long rowBytes;
    private final SharedDoubles matrix;
    /** Copies of the neighbours' rows on either side, and of two own rows. */
    private final MemorySegment before;
    private final MemorySegment after;
    private final MemorySegment above;
    private final MemorySegment below;

    private Part(Worker worker, Size size) {
      super(worker);
      this.size = size;
      this.rows = size.rows();
      this.points = size.points();
      this.rowBytes = (long) points * Double.BYTES;
      // Off-heap, as shared memory is: code that accesses both kinds of segments is slow.
      Arena copies = Arena.ofAuto();
      this.before = copies.allocate(rowBytes, Double.BYTES);
      this.after = copies.allocate(rowBytes, Double.BYTES);
      this.above = copies.allocate(rowBytes, Double.BYTES);
      this.below = copies.allocate(rowBytes, Double.BYTES);
      this.matrix = doubles("matrix", (long) rows * points, SharingUnit.elements(points));
    }

    @Override
    void fill() {
      Share band = mine(rows);
      double[] row = new double[points];
      for (int i = band.from(); i < band.to(); i++) {
        Arrays.fill(row, i == 0 ? 1 : 0);
        row[0] = 1;
        writeRow(i, row);
      }
    }

    @Override
    void work() {
      Share inner = mine(rows - 2);
      for (int iteration = 0; iteration < size.iterations(); iteration++) {
        relax(inner.from() + 1, inner.to() + 1, 1);
        meet();
        relax(inner.from() + 1, inner.to() + 1, 0);
        meet();
      }
    }

    /**
     * Relaxes in place the points of these rows whose row + column is odd (1) or even (0). The neighbours' rows are fetched while the first own rows
     * are changed. Own rows that neighbours read are changed last, so each neighbour has read what it needs before its copy is taken away.
     */
    private void relax(int from, int to, int parity) {
      if (from == to) {
        return;
      }
      int begun = from;
      if (worker.asksAhead()) {
        matrix.prefetch((long) (from - 1) * points, points);
        matrix.prefetch((long) to * points, points);
        begun = from + (to - from) / 4;
        relaxInside(from, begun, from, to, parity);
      }
      copyRow(from - 1, before);
      copyRow(to, after);
      relaxInside(begun, to, from, to, parity);
      relaxEdges(from, to, parity);
    }

    /** Relaxes the rows from {@code first} to {@code end} that no neighbour reads. */
    private void relaxInside(int first, int end, int from, int to, int parity) {
      int begin = Math.max(first, from + 1);
      int stop = Math.min(end, to - 1);
      if (begin < stop) {
        copyRow(begin - 1, above);
        copyRow(stop, below);
        relaxInPlace(begin, stop, parity, above, below);
      }
    }

    private void relaxEdges(int from, int to, int parity) {
      if (to - from > 1) {
        copyRow(from + 1, above);
        copyRow(to - 2, below);
        relaxInPlace(from, from + 1, parity, before, above);
        relaxInPlace(to - 1, to, parity, below, after);
      } else {
        relaxInPlace(from, to, parity, before, after);
      }
    }

    /** Relaxes the rows between {@code above} and {@code below}. */
    private void relaxInPlace(int from, int to, int parity, MemorySegment above, MemorySegment below) {
      matrix.writeInPlace((long) from * points, (long) (to - from) * points, held -> {
        MemorySegment upper = above;
        MemorySegment row = rowOf(held, 0);
        for (int i = from; i < to; i++) {
          MemorySegment lower = i + 1 < to ? rowOf(held, i + 1 - from) : below;
          relaxRow(i, parity, upper, row, lower);
          upper = row;
          row = lower;
        }
      });
      worker.compute(Operation.FLOATING, 4L * (points - 2) / 2 * (to - from));
    }

    private void relaxRow(int i, int parity, MemorySegment above, MemorySegment row, MemorySegment below) {
      for (int j = 1 + (i + 1 + parity & 1); j < points - 1; j += 2) {
        double sum = above.getAtIndex(DOUBLE, j) + below.getAtIndex(DOUBLE, j) + row.getAtIndex(DOUBLE, j - 1) + row.getAtIndex(DOUBLE, j + 1);
        row.setAtIndex(DOUBLE, j, sum / 4);
      }
    }

    private MemorySegment rowOf(MemorySegment rows, int i) {
      return rows.asSlice(i * rowBytes, rowBytes);
    }

    private void copyRow(int i, MemorySegment to) {
      matrix.readInPlace((long) i * points, points, to::copyFrom);
    }

    @Override
    public Outcome outcome() {
      Digest digest = new Digest();
      double[] row = new double[points];
      double sum = 0;
      double least = Double.POSITIVE_INFINITY;
      double most = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < rows; i++) {
        readRow(i, row);
        digest.add(row, points);
        for (double value : row) {
          sum += value;
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
      // A mean lies within the range of its values.
      Check bounds = new Check("values within borders' values", least >= 0 && most <= 1, least + " to " + most + ", must be 0 to 1");
      Check known = new Check("sum", sum == size.sum() || Double.isNaN(size.sum()), sum + ", expected " + size.sum());
      return new Outcome(List.of(rows + " x " + points + " points, " + size.iterations() + " iterations, sum " + sum),
          Double.isNaN(size.sum()) ? List.of(bounds) : List.of(bounds, known), digest.value(), new double[] {sum});
    }

    private void readRow(int i, double[] row) {
      matrix.read((long) i * points, row, 0, points);
    }

    private void writeRow(int i, double[] row) {
      matrix.write((long) i * points, row, 0, points);
    }
  }
}
