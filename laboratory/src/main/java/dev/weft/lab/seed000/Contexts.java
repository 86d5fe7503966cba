package dev.weft.lab.seed000;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.repro.Comparison;
import dev.weft.lab.repro.Table;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed000.ReceiveContextExperiment.Result;
import dev.weft.lab.seed000.ReceiveContextExperiment.Setup;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** What the experiments of receive contexts in both clocks share: names, tables and distributions of round trips. */
final class Contexts {
  private static final double NS_PER_US = 1e3;
  /** A distribution's points are at least half a percent apart, and in its tail a fifth of what is left. */
  private static final double STEP_PERCENT = 0.5;
  private static final double TAIL_STEP = 0.8;

  private Contexts() {}

  /** One result for each context, under the same circumstances. */
  record Group(String name, Map<ReceiveContext, Result> results) {
    Group(String name, List<Result> results) {
      this(name, results.stream().collect(
          Collectors.toMap(result -> result.setup().server(), result -> result, (a, b) -> b, () -> new EnumMap<>(ReceiveContext.class))));
    }

    double p50(ReceiveContext context) {
      return results.get(context).p50Ns() / NS_PER_US;
    }

    double mean(ReceiveContext context) {
      return results.get(context).meanNs() / NS_PER_US;
    }

    /** ISR below task queue below process at p50. */
    boolean isInOrder() {
      return p50(ReceiveContext.ISR) < p50(ReceiveContext.TASK_QUEUE) && p50(ReceiveContext.TASK_QUEUE) < p50(ReceiveContext.PROCESS);
    }

    /** The median of each context. */
    String medians() {
      return results.keySet().stream().map(context -> label(context) + " " + Comparison.number(p50(context)))
          .collect(Collectors.joining(", ")) + " us";
    }
  }

  static String label(ReceiveContext context) {
    return switch (context) {
      case POLLING -> "polling";
      case ISR -> "ISR";
      case TASK_QUEUE -> "task queue";
      case PROCESS -> "process";
    };
  }

  static List<String> labels() {
    List<String> labels = new ArrayList<>();
    for (ReceiveContext context : ReceiveContext.values()) {
      labels.add(label(context));
    }
    return labels;
  }

  /** Every context without load, then every context with a hog per processor. */
  static List<Setup> idleAndLoaded(int rounds, int processors) {
    List<Setup> setups = new ArrayList<>();
    for (int load : new int[] {0, processors}) {
      for (ReceiveContext context : ReceiveContext.values()) {
        setups.add(Setup.of(context, rounds, load));
      }
    }
    return setups;
  }

  /** How much polling gains or loses against ISR at p50 and in the mean. */
  static String pollingAgainstIsr(Group group) {
    return group.name() + ", " + gain("p50", group.p50(ReceiveContext.POLLING), group.p50(ReceiveContext.ISR)) + ", "
        + gain("mean", group.mean(ReceiveContext.POLLING), group.mean(ReceiveContext.ISR));
  }

  private static String gain(String what, double polling, double isr) {
    long percent = Math.round((polling / isr - 1) * 100);
    String outcome = percent == 0 ? "no difference" : percent > 0 ? "a loss of " + percent + " %" : "a gain of " + -percent + " %";
    return String.format(Locale.ROOT, "%s %.2f us against %.2f us, %s", what, polling, isr, outcome);
  }

  static Table table(List<Group> groups) {
    List<List<Object>> lines = new ArrayList<>();
    for (Group group : groups) {
      group.results().forEach((context, result) -> lines.add(List.of(group.name(), label(context), us(result.p50Ns()),
          us(result.p99Ns()), us(result.roundTrips().getMaxValue()), us(result.meanNs()),
          (double) result.roundTrips().getTotalCount())));
    }
    return new Table("round trips in us", List.of("load", "context", "p50", "p99", "max", "mean", "round trips"), lines);
  }

  private static double us(double ns) {
    return ns / NS_PER_US;
  }

  static Chart distributions(String file, String title, Group group) {
    List<Series> series = new ArrayList<>();
    group.results().forEach((context, result) -> series.add(new Series(label(context), false, points(result.roundTrips()))));
    return Chart.distributions(file, title, "round trip, us", series);
  }

  /** Percent of the round trips that take longer, over microseconds, thinned. */
  private static List<Point> points(Histogram histogram) {
    List<Point> points = new ArrayList<>();
    double last = 0;
    for (HistogramIterationValue value : histogram.recordedValues()) {
      double percent = value.getPercentile();
      if (points.isEmpty() || percent - last >= STEP_PERCENT || 100 - percent <= TAIL_STEP * (100 - last)) {
        points.add(new Point(us(value.getValueIteratedTo()), 100 - percent));
        last = percent;
      }
    }
    return points;
  }

  static double[] means(Group group) {
    return group.results().values().stream().mapToDouble(result -> us(result.meanNs())).toArray();
  }

  static double[] medians(Group group) {
    return group.results().values().stream().mapToDouble(result -> us(result.p50Ns())).toArray();
  }
}
