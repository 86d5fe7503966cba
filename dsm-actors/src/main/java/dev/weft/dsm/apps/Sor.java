package dev.weft.dsm.apps;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;
import java.util.List;

/**
 * Red-black successive over-relaxation with omega 1: each inner point becomes the mean of its four neighbours, those of odd row + column
 * first. Row 0 and column 0 are 1, all else is 0 at first. A row is a minipage; a worker owns a band of rows, writes these, and reads one
 * row of either neighbour in each half of an iteration, before its own.
 *
 * <p>A neighbour's row may be read while its owner writes it: only points of the colour that is not written are used of it.
 */
final class Sor extends SizedApplication<Sor.Size> {
  /**
   * @param rows borders included, 3 or more
   * @param points of a row, borders included, 3 or more
   * @param sum of all points afterwards, added row by row; NaN if not known
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
    private final SharedDoubles matrix;

    private Part(Worker worker, Size size) {
      super(worker);
      this.size = size;
      this.rows = size.rows();
      this.points = size.points();
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
     * Points of these rows whose row + column is odd (1) or even (0). The neighbours' rows are read first, and the first own one, which a neighbour reads,
     * is written last, as is the last one: so each has read what it needs before its copy is taken away.
     */
    private void relax(int from, int to, int parity) {
      if (from == to) {
        return;
      }
      if (worker.asksAhead()) {
        matrix.prefetch((long) to * points, points);
      }
      double[] before = new double[points];
      double[] after = new double[points];
      double[] above = new double[points];
      double[] row = new double[points];
      double[] below = new double[points];
      readRow(from - 1, before);
      readRow(to, after);
      readRow(from, above);
      readRow(Math.min(from + 1, to), row);
      for (int i = from + 1; i < to; i++) {
        if (i + 1 < to) {
          readRow(i + 1, below);
        }
        relaxRow(i, parity, above, row, i + 1 < to ? below : after);
        double[] free = above;
        above = row;
        row = below;
        below = free;
      }
      readRow(from, row);
      readRow(Math.min(from + 1, to), below);
      relaxRow(from, parity, before, row, from + 1 < to ? below : after);
    }

    private void relaxRow(int i, int parity, double[] above, double[] row, double[] below) {
      for (int j = 1 + (i + 1 + parity & 1); j < points - 1; j += 2) {
        row[j] = (above[j] + below[j] + row[j - 1] + row[j + 1]) / 4;
      }
      writeRow(i, row);
      worker.compute(Operation.FLOATING, 4L * (points - 2) / 2);
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
      // A mean is never outside of what it is the mean of.
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
