package dev.weft.lab.repro;

import java.util.List;

/**
 * A place in a plot for a number of the paper, named by rows and filled in by the report, so that no experiment sees it.
 *
 * @param x where; for bars the index of the category; of no meaning with {@code xRow}
 * @param xRow the row whose number says where, or null
 * @param factor what the product of the rows is multiplied with
 * @param rows the product of these rows is drawn, for example a ratio and the time that it refers to
 */
public record PaperPoint(double x, String xRow, double factor, List<String> rows) {
  public static PaperPoint of(double x, String... rows) {
    return new PaperPoint(x, null, 1, List.of(rows));
  }

  /** At the place that a row names, for example the size at which half of the bandwidth is reached. */
  public static PaperPoint at(String xRow, double factor, String... rows) {
    return new PaperPoint(0, xRow, factor, List.of(rows));
  }
}
