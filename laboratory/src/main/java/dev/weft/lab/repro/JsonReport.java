package dev.weft.lab.repro;

import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.plot.Chart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report as a tree of maps in a fixed order. */
final class JsonReport {
  private JsonReport() {}

  static Map<String, Object> of(List<Run> runs, Figures figures) {
    Map<String, Object> tree = new LinkedHashMap<>();
    boolean isVirtual = runs.stream().noneMatch(run -> run.experiment().isRealTime());
    boolean isReal = runs.stream().allMatch(run -> run.experiment().isRealTime());
    tree.put("clock", isVirtual ? "virtual" : isReal ? "real" : "both");
    tree.put("experiments", runs.stream().map(JsonReport::run).toList());
    tree.put("summary", Summary.of(runs, figures).tree());
    return tree;
  }

  private static Map<String, Object> run(Run run) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("name", run.experiment().name());
    tree.put("title", run.experiment().title());
    if (run.experiment().isRealTime()) {
      tree.put("machine", run.profile());
    } else {
      tree.put("profile", run.profile());
      tree.put("seed", run.seed());
    }
    tree.put("rows", run.comparisons().stream().map(JsonReport::row).toList());
    if (!run.tables().isEmpty()) {
      tree.put("tables", run.tables().stream().map(JsonReport::table).toList());
    }
    if (!run.checks().isEmpty()) {
      tree.put("checks", run.checks().stream().map(JsonReport::check).toList());
    }
    tree.put("notes", run.notes());
    tree.put("charts", run.charts().stream().map(JsonReport::chart).toList());
    return tree;
  }

  private static Map<String, Object> row(Comparison c) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("row", c.row().id());
    tree.put("paper", c.row().value());
    tree.put("ours", c.row().isOrder() ? c.oursText() : (Object) c.ours().value());
    tree.put("unit", c.row().unit());
    tree.put("ratio", c.row().isOrder() ? null : (Object) c.ratio());
    tree.put("kind", c.useText());
    tree.put("judged", c.ours().kind().name());
    tree.put("tolerance", c.tolerance().amount());
    tree.put("toleranceKind", c.tolerance().isAbsolute() ? "absolute" : "relative");
    tree.put("verdict", c.verdictText());
    if (c.isDerived()) {
      tree.put("followsFrom", c.derivation().inputs());
      tree.put("how", c.derivation().how());
    }
    if (!c.choice().isEmpty()) {
      tree.put("choice", c.choice());
    }
    return tree;
  }

  private static Map<String, Object> table(Table table) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("title", table.title());
    tree.put("heads", table.heads());
    tree.put("lines", table.lines());
    return tree;
  }

  private static Map<String, Object> check(Check check) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("statement", check.statement());
    tree.put("seen", check.seen());
    tree.put("verdict", check.verdictText());
    return tree;
  }

  private static Map<String, Object> chart(Chart chart) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("file", chart.file());
    tree.put("title", chart.title());
    List<Object> series = new ArrayList<>();
    for (Chart.Series one : chart.series()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", one.name());
      entry.put("paper", one.isPaper());
      entry.put("points", one.points());
      series.add(entry);
    }
    tree.put("series", series);
    return tree;
  }

  static Map<String, Object> list(List<Experiment> experiments, Figures figures) {
    Map<String, Object> tree = new LinkedHashMap<>();
    List<Object> names = new ArrayList<>();
    for (Experiment e : experiments) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", e.name());
      entry.put("title", e.title());
      entry.put("profile", e.defaultProfile());
      entry.put("rows", e.rows());
      names.add(entry);
    }
    tree.put("experiments", names);
    Map<String, String> silent = new LinkedHashMap<>();
    figures.all().stream().filter(row -> Experiments.speakingTo(row.id(), experiments).isEmpty())
        .forEach(row -> silent.put(row.id(), NotYet.reason(row)));
    tree.put("rowsWithoutExperiment", List.copyOf(silent.keySet()));
    tree.put("reasons", silent);
    return tree;
  }
}
