package dev.weft.lab.repro;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How well several rows agree together: whether ours stand in the paper's order, and how many are within their tolerance. The report judges it, since
 * experiments do not see the paper's numbers.
 *
 * @param what the rows are, for people
 * @param rows three or more, numbers all
 * @param rankCorrelationLeast Spearman's, from -1 to 1
 * @param withinLeast how many rows must be within their tolerance
 */
public record Agreement(String what, List<String> rows, double rankCorrelationLeast, int withinLeast) {
  public Agreement {
    rows = List.copyOf(rows);
    if (rows.size() < 3 || withinLeast > rows.size()) {
      throw new IllegalArgumentException("agreement of " + rows.size() + " rows of which " + withinLeast + " must be within; must be 3 rows or more");
    }
  }

  /** Judges it by a run's comparisons. */
  List<Check> of(List<Comparison> comparisons) {
    List<Comparison> mine = rows.stream().map(row -> find(row, comparisons)).toList();
    double correlation = rankCorrelation(mine.stream().mapToDouble(c -> c.row().low().orElseThrow()).toArray(),
        mine.stream().mapToDouble(c -> c.ours().value()).toArray());
    long within = mine.stream().filter(Comparison::isWithin).count();
    return List.of(
        new Check(String.format(Locale.ROOT, "%s: rank correlation with the paper at least %.2f", what, rankCorrelationLeast),
            correlation >= rankCorrelationLeast, String.format(Locale.ROOT, "%.3f", correlation)),
        new Check(what + ": at least " + withinLeast + " of " + rows.size() + " within tolerance", within >= withinLeast, within + " of " + rows.size()));
  }

  private static Comparison find(String row, List<Comparison> comparisons) {
    return comparisons.stream().filter(c -> c.row().id().equals(row)).findFirst()
        .orElseThrow(() -> new IllegalStateException("row " + row + " is not answered"));
  }

  /** Spearman's coefficient; equal values share their mean rank. NaN if all values of one side are equal. */
  static double rankCorrelation(double[] a, double[] b) {
    double[] x = ranks(a);
    double[] y = ranks(b);
    double middle = (a.length + 1) / 2.0;
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (int i = 0; i < x.length; i++) {
      xy += (x[i] - middle) * (y[i] - middle);
      xx += (x[i] - middle) * (x[i] - middle);
      yy += (y[i] - middle) * (y[i] - middle);
    }
    return xy / Math.sqrt(xx * yy);
  }

  private static double[] ranks(double[] values) {
    return Arrays.stream(values).map(value -> {
      long less = Arrays.stream(values).filter(other -> other < value).count();
      long equal = Arrays.stream(values).filter(other -> other == value).count();
      return less + (equal + 1) / 2.0;
    }).toArray();
  }
}
