package dev.weft.lab.repro;

import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.plot.Chart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One experiment that was run, with its rows compared.
 *
 * @param experiment which
 * @param profile under which hardware profile; in real time what was measured
 * @param seed with which seed
 * @param comparisons its rows, in its own order
 * @param tables its other numbers
 * @param checks what must hold beside the rows
 * @param notes its sentences
 * @param charts its plots, with the paper's points
 */
public record Run(Experiment experiment, String profile, long seed, List<Comparison> comparisons, List<Table> tables,
    List<Check> checks, List<String> notes, List<Chart> charts) {
  /**
   * Runs an experiment and compares.
   *
   * @param profile null for the experiment's own
   * @throws IllegalArgumentException if the experiment measures this machine and a profile is given
   * @throws IllegalStateException if the experiment does not answer exactly the rows that it names
   */
  static Run of(Experiment experiment, String profile, long seed, Size size, Figures figures) {
    if (experiment.isRealTime() && profile != null) {
      throw new IllegalArgumentException("it measures this machine in real time and takes no --profile");
    }
    String used = profile == null ? experiment.defaultProfile() : profile;
    Findings findings = experiment.run(new Setting(used, seed, figures.calibration(), size));
    Set<String> promised = new HashSet<>(experiment.rows());
    if (!promised.equals(findings.rows().keySet())) {
      throw new IllegalStateException("experiment " + experiment.name() + " names the rows " + experiment.rows()
          + " and answered " + findings.rows().keySet());
    }
    List<Comparison> comparisons = new ArrayList<>();
    for (String id : experiment.rows()) {
      Figure row = figures.find(id).orElseThrow(() -> new IllegalStateException("figures.csv has no row " + id));
      Tolerance tolerance = row.use() == Figure.Use.CALIBRATE ? Experiment.CALIBRATED_TOLERANCE : experiment.tolerance(id);
      comparisons.add(new Comparison(row, findings.rows().get(id), tolerance, experiment.derived().get(id),
          experiment.choices().getOrDefault(id, "")));
    }
    List<Check> checks = new ArrayList<>(findings.checks());
    experiment.agreements().forEach(agreement -> checks.addAll(agreement.of(comparisons)));
    return new Run(experiment, used, seed, comparisons, findings.tables(), checks, findings.notes(),
        charts(findings, figures));
  }

  private static List<Chart> charts(Findings findings, Figures figures) {
    List<Chart> charts = new ArrayList<>();
    findings.charts().forEach((chart, points) -> {
      List<Chart.Point> paper = points.stream().map(point -> place(point, figures)).toList();
      charts.add(paper.isEmpty() ? chart : chart.with(new Chart.Series("paper", true, paper)));
    });
    return charts;
  }

  private static Chart.Point place(PaperPoint point, Figures figures) {
    double product = point.factor();
    for (String id : point.rows()) {
      product *= number(id, figures);
    }
    return new Chart.Point(point.xRow() == null ? point.x() : number(point.xRow(), figures), product);
  }

  private static double number(String id, Figures figures) {
    return figures.find(id).orElseThrow(() -> new IllegalStateException("figures.csv has no row " + id)).low().orElseThrow();
  }

  /** Which clock, on what and from which seed. */
  String conditions() {
    return experiment.isRealTime() ? "real time on " + profile : "virtual time, profile " + profile + ", seed " + seed;
  }

  /** Whether a row, derived or not, differs by more than its tolerance or a check fails. */
  boolean isOff() {
    return comparisons.stream().anyMatch(c -> c.verdict() != Comparison.Verdict.REFERENCE && !c.isWithin())
        || checks.stream().anyMatch(check -> !check.holds());
  }

  /** Rows that could have come out otherwise. */
  List<Comparison> judged() {
    return comparisons.stream().filter(comparison -> !comparison.isDerived()).toList();
  }

  /** Rows that follow from what goes in. */
  List<Comparison> derived() {
    return comparisons.stream().filter(Comparison::isDerived).toList();
  }
}
