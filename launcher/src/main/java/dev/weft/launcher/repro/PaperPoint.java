package dev.weft.launcher.repro;

import java.util.List;

/**
 * A place in a plot for a number of the paper, named by rows and filled in by the report, so that no experiment sees it.
 *
 * @param x where; for bars the index of the category
 * @param rows the product of these rows is drawn, for example a ratio and the time that it refers to
 */
public record PaperPoint(double x, List<String> rows) {
  public static PaperPoint of(double x, String... rows) {
    return new PaperPoint(x, List.of(rows));
  }
}
