package dev.weft.lab.repro.plot;

import dev.weft.lab.repro.plot.Canvas.Anchor;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.List;
import java.util.Locale;

/** Draws a chart: ours filled, the paper's hollow. */
final class ChartPainter {
  static final int WIDTH = 760;
  static final int HEIGHT = 460;
  private static final int LEFT = 80;
  private static final int RIGHT = 190;
  private static final int TOP = 48;
  private static final int BOTTOM = 64;
  private static final int BLACK = 0x000000;
  private static final int GRID = 0xd9dee3;
  private static final int WHITE = 0xffffff;
  private static final int[] COLOURS = {0x1f5fa8, 0xc4511d, 0x2e7d4f, 0x7a3e9d, 0x8a6d1a, 0x476a73, 0xb03a6b, 0x4b4b4b};
  private static final int TICKS = 5;
  /** Bars narrower than this have room for two or three digits. */
  private static final int CROWDED = 30;

  private final Chart chart;
  private final Canvas canvas;
  private double xMin = Double.POSITIVE_INFINITY;
  private double xMax = Double.NEGATIVE_INFINITY;
  private double yMin = Double.POSITIVE_INFINITY;
  private double yMax = Double.NEGATIVE_INFINITY;

  ChartPainter(Chart chart, Canvas canvas) {
    this.chart = chart;
    this.canvas = canvas;
    for (Series series : chart.series()) {
      for (Point point : series.points()) {
        xMin = Math.min(xMin, point.x());
        xMax = Math.max(xMax, point.x());
        yMin = Math.min(yMin, point.y());
        yMax = Math.max(yMax, point.y());
      }
    }
    if (chart.isLogarithmic()) {
      yMin = Math.pow(10, Math.floor(Math.log10(yMin)));
      yMax = Math.pow(10, Math.ceil(Math.log10(yMax) + 1e-9));
    } else {
      yMin = Math.min(0, yMin);
      yMax = niceCeiling(yMax <= 0 ? 1 : yMax);
    }
    if (chart.kind() == Chart.Kind.DISTRIBUTIONS) {
      xMin *= 0.8;
      xMax *= 1.25;
      double least = chart.series().stream().flatMap(one -> one.points().stream()).mapToDouble(Point::y).filter(y -> y > 0).min().orElse(1);
      yMin = Math.pow(10, Math.floor(Math.log10(least) - 1e-9));
      yMax = 100;
    }
    if (xMax == xMin) {
      xMax = xMin + 1;
    }
  }

  private static double niceCeiling(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double step : new double[] {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}) {
      if (step * power >= value) {
        return step * power;
      }
    }
    return 10 * power;
  }

  void paint() {
    canvas.rectangle(0, 0, WIDTH, HEIGHT, WHITE, true);
    canvas.text(LEFT, 26, chart.title(), 16, Anchor.START, false);
    paintGrid();
    switch (chart.kind()) {
      case LINES -> paintLines();
      case BARS -> paintBars();
      case DISTRIBUTIONS -> paintDistributions();
    }
    canvas.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, BLACK, 1.5);
    canvas.line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, BLACK, 1.5);
    canvas.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, chart.xLabel(), 13, Anchor.MIDDLE, false);
    canvas.text(20, (TOP + HEIGHT - BOTTOM) / 2.0, chart.yLabel(), 13, Anchor.MIDDLE, true);
    paintLegend();
  }

  private boolean isLogarithmic() {
    return chart.isLogarithmic() || chart.kind() == Chart.Kind.DISTRIBUTIONS;
  }

  private double x(double value) {
    double share = isLogarithmic() ? Math.log(value / xMin) / Math.log(xMax / xMin) : (value - xMin) / (xMax - xMin);
    return LEFT + 10 + share * (WIDTH - RIGHT - LEFT - 20);
  }

  private double y(double value) {
    double share = isLogarithmic() ? Math.log(Math.max(value, yMin) / yMin) / Math.log(yMax / yMin) : (value - yMin) / (yMax - yMin);
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
  }

  private void paintGrid() {
    if (isLogarithmic()) {
      for (double at = yMin; at <= yMax * 1.0001; at *= 10) {
        tick(at);
      }
    } else {
      for (int i = 0; i <= TICKS; i++) {
        tick(yMin + (yMax - yMin) * i / TICKS);
      }
    }
  }

  private void tick(double value) {
    canvas.line(LEFT, y(value), WIDTH - RIGHT, y(value), GRID, 1);
    canvas.text(LEFT - 6, y(value) + 4, label(value), 12, Anchor.END, false);
  }

  private static String label(double value) {
    double size = Math.abs(value);
    if (size >= 1024 * 1024 && value % (1024 * 1024) == 0) {
      return (long) (value / (1024 * 1024)) + "Mi";
    }
    if (size >= 1024 && value % 1024 == 0) {
      return (long) (value / 1024) + "Ki";
    }
    int digits = size >= 100 || size == 0 ? 0 : size >= 1 ? 2 : 1 - (int) Math.floor(Math.log10(size));
    String text = String.format(Locale.ROOT, "%." + digits + "f", value);
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }

  private void paintLines() {
    for (int i = 0; i < chart.series().size(); i++) {
      Series series = chart.series().get(i);
      int colour = COLOURS[i % COLOURS.length];
      List<Point> points = series.points();
      for (int p = 0; p < points.size(); p++) {
        Point point = points.get(p);
        if (p > 0 && !series.isPaper()) {
          canvas.line(x(points.get(p - 1).x()), y(points.get(p - 1).y()), x(point.x()), y(point.y()), colour, 2);
        }
        canvas.circle(x(point.x()), y(point.y()), series.isPaper() ? 6 : 3.5, colour, !series.isPaper());
      }
    }
    chart.series().stream().flatMap(series -> series.points().stream()).mapToDouble(Point::x).distinct().sorted()
        .filter(this::isTickAt).forEach(at -> canvas.text(x(at), HEIGHT - BOTTOM + 18, label(at), 12, Anchor.MIDDLE, false));
  }

  /** On a logarithmic axis of powers of two there is room for every second one. */
  private boolean isTickAt(double at) {
    return !chart.isLogarithmic() || at <= 0 || Math.round(Math.log(at / xMin) / Math.log(2)) % 2 == 0;
  }

  private void paintDistributions() {
    for (int i = 0; i < chart.series().size(); i++) {
      int colour = COLOURS[i % COLOURS.length];
      Point before = new Point(xMin, 100);
      for (Point point : chart.series().get(i).points()) {
        canvas.line(x(before.x()), y(before.y()), x(point.x()), y(before.y()), colour, 2);
        canvas.line(x(point.x()), y(before.y()), x(point.x()), y(point.y()), colour, 2);
        before = point;
      }
    }
    boolean isWide = xMax / xMin > 1000;
    for (double power = Math.pow(10, Math.floor(Math.log10(xMin))); power <= xMax; power *= 10) {
      for (double at : isWide ? new double[] {power} : new double[] {power, 2 * power, 5 * power}) {
        if (at >= xMin && at <= xMax) {
          canvas.text(x(at), HEIGHT - BOTTOM + 18, label(at), 12, Anchor.MIDDLE, false);
        }
      }
    }
  }

  private void paintBars() {
    int groups = chart.categories().size();
    double groupWidth = (WIDTH - RIGHT - LEFT) / (double) Math.max(1, groups);
    double barWidth = groupWidth * 0.8 / chart.series().size();
    for (int i = 0; i < chart.series().size(); i++) {
      Series series = chart.series().get(i);
      for (Point point : series.points()) {
        double left = LEFT + point.x() * groupWidth + groupWidth * 0.1 + i * barWidth;
        canvas.rectangle(left + 1, y(point.y()), barWidth - 2, y(yMin) - y(point.y()), COLOURS[i % COLOURS.length], !series.isPaper());
        double shown = barWidth < CROWDED && point.y() >= 10 ? Math.rint(point.y()) : round(point.y());
        canvas.text(left + barWidth / 2, y(point.y()) - 4, label(shown), 11, Anchor.MIDDLE, false);
      }
    }
    for (int g = 0; g < groups; g++) {
      canvas.text(LEFT + (g + 0.5) * groupWidth, HEIGHT - BOTTOM + 18, chart.categories().get(g), 12, Anchor.MIDDLE, false);
    }
  }

  private static double round(double value) {
    return Math.abs(value) >= 100 ? Math.rint(value) : Math.rint(value * 100) / 100;
  }

  private void paintLegend() {
    for (int i = 0; i < chart.series().size(); i++) {
      Series series = chart.series().get(i);
      double top = TOP + 10 + i * 22;
      canvas.rectangle(WIDTH - RIGHT + 14, top, 12, 12, COLOURS[i % COLOURS.length], !series.isPaper());
      canvas.text(WIDTH - RIGHT + 32, top + 11, series.name(), 12, Anchor.START, false);
    }
  }
}
