package dev.weft.lab.repro.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * What a plot shows, without how.
 *
 * @param file name of the files without the ending: letters, digits, dashes
 * @param title shown above
 * @param xLabel quantity and unit
 * @param yLabel quantity and unit
 * @param kind lines over x, groups of bars, one for each category, or distributions: percent of the samples above x, both axes logarithmic
 * @param isLogarithmic both axes of lines, the y axis of bars; of no meaning for distributions
 * @param categories names of the groups of bars; empty for lines
 * @param series what is drawn
 */
public record Chart(String file, String title, String xLabel, String yLabel, Kind kind, boolean isLogarithmic,
    List<String> categories, List<Series> series) {
  public enum Kind {
    LINES,
    BARS,
    DISTRIBUTIONS
  }

  /** A point; for bars, x is the index of the category. */
  public record Point(double x, double y) {}

  /**
   * Points of one name.
   *
   * @param isPaper whether they are the paper's; drawn hollow
   */
  public record Series(String name, boolean isPaper, List<Point> points) {
    public Series {
      points = List.copyOf(points);
    }

    /** Bars of y values, one for each category; a NaN leaves its place empty. */
    public static Series bars(String name, boolean isPaper, double... values) {
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < values.length; i++) {
        if (!Double.isNaN(values[i])) {
          points.add(new Point(i, values[i]));
        }
      }
      return new Series(name, isPaper, points);
    }
  }

  public Chart {
    if (!file.matches("[a-z0-9-]+")) {
      throw new IllegalArgumentException("file name '" + file + "' has more than a-z, 0-9 and dashes");
    }
    categories = List.copyOf(categories);
    series = List.copyOf(series);
    if (series.stream().allMatch(one -> one.points().isEmpty())) {
      throw new IllegalArgumentException("chart " + file + " has no points");
    }
    if (isLogarithmic && series.stream().flatMap(one -> one.points().stream()).anyMatch(p -> p.y() <= 0)) {
      throw new IllegalArgumentException("chart " + file + " is logarithmic and has a point at or below 0");
    }
  }

  /** Percent of the samples that are above x, for each series from left to right, down to 0 at its largest; x above 0. */
  public static Chart distributions(String file, String title, String xLabel, List<Series> series) {
    if (series.stream().flatMap(one -> one.points().stream()).anyMatch(p -> p.x() <= 0 || p.y() < 0 || p.y() > 100)) {
      throw new IllegalArgumentException("chart " + file + " has a point at or below x = 0, or not between 0 and 100 percent");
    }
    return new Chart(file, title, xLabel, "percent that take longer", Kind.DISTRIBUTIONS, false, List.of(), series);
  }

  /** The same with one more series. */
  public Chart with(Series more) {
    List<Series> all = new ArrayList<>(series);
    all.add(more);
    return new Chart(file, title, xLabel, yLabel, kind, isLogarithmic, categories, all);
  }

  public static Chart lines(String file, String title, String xLabel, String yLabel, boolean isLogarithmic, List<Series> series) {
    return new Chart(file, title, xLabel, yLabel, Kind.LINES, isLogarithmic, List.of(), series);
  }

  public static Chart bars(String file, String title, String yLabel, List<String> categories, List<Series> series) {
    return new Chart(file, title, "", yLabel, Kind.BARS, false, categories, series);
  }
}
