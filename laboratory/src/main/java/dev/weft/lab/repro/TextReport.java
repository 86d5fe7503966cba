package dev.weft.lab.repro;

import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import java.util.ArrayList;
import java.util.List;

/** The report for a terminal. */
final class TextReport {
  private static final String[] HEADS = {"row", "paper", "ours", "unit", "ratio", "kind", "tolerance", "verdict"};
  private static final String[] DERIVED_HEADS = {"row", "paper", "ours", "unit", "ratio", "follows from"};
  private static final int WIDTH_MAX = 44;

  private TextReport() {}

  static String of(Run run) {
    StringBuilder text = new StringBuilder();
    text.append(run.experiment().name()).append(": ").append(run.experiment().title()).append('\n');
    text.append(run.conditions()).append('\n');
    List<String[]> lines = new ArrayList<>();
    lines.add(HEADS);
    for (Comparison c : run.judged()) {
      lines.add(new String[] {c.row().id(), c.paperText(), c.oursText(), c.row().unit(), c.ratioText(), c.useText(),
          c.toleranceText(), c.verdictText()});
    }
    if (lines.size() > 1) {
      table(lines, text);
    }
    run.judged().stream().filter(c -> !c.choice().isEmpty()).forEach(c -> text.append("  choice: ").append(c.row().id()).append(' ')
        .append(c.verdictText()).append(" with ").append(c.choice()).append('\n'));
    derived(run.derived(), text);
    for (Table one : run.tables()) {
      text.append("  ").append(one.title()).append('\n');
      List<String[]> cells = new ArrayList<>();
      cells.add(one.heads().toArray(String[]::new));
      one.lines().forEach(line -> cells.add(line.stream().map(Table::text).toArray(String[]::new)));
      table(cells, text);
    }
    run.checks().forEach(check -> text.append("  ").append(check.verdictText()).append(": ").append(check.statement())
        .append(" (").append(check.seen()).append(")\n"));
    run.notes().forEach(note -> text.append("  note: ").append(note).append('\n'));
    return text.toString();
  }

  private static void derived(List<Comparison> rows, StringBuilder text) {
    if (rows.isEmpty()) {
      return;
    }
    text.append("  rows that follow from inputs and could not have come out otherwise; not counted\n");
    List<String[]> lines = new ArrayList<>();
    lines.add(DERIVED_HEADS);
    rows.forEach(c -> lines.add(new String[] {c.row().id(), c.paperText(), c.oursText(), c.row().unit(), c.ratioText(),
        c.derivation().text()}));
    table(lines, text);
  }

  /** What came of all rows, at the end of the report. */
  static String of(Summary summary) {
    return summary.predictedText() + "\n" + summary.apartText() + "\n";
  }

  /** All rows with the experiment that speaks to each, or a dash. */
  static String list(List<Experiment> experiments, Figures figures) {
    StringBuilder text = new StringBuilder();
    List<String[]> lines = new ArrayList<>();
    lines.add(new String[] {"experiment", "profile", "rows", "what it shows"});
    for (Experiment e : experiments) {
      lines.add(new String[] {e.name(), e.defaultProfile(), Integer.toString(e.rows().size()), e.title()});
    }
    table(lines, text);
    text.append('\n');
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"row", "seed", "where", "paper", "unit", "use", "experiment"});
    long silent = 0;
    for (Figure row : figures.all()) {
      String names = Experiments.speakingTo(row.id(), experiments);
      silent += names.isEmpty() ? 1 : 0;
      rows.add(new String[] {row.id(), row.seed(), row.where(), row.value(), row.unit(), row.use().text(),
          names.isEmpty() ? NotYet.reason(row) : names});
    }
    table(rows, text);
    text.append('\n').append(figures.all().size() - silent).append(" of ").append(figures.all().size())
        .append(" rows have an experiment; ").append(silent).append(" have none yet\n");
    return text.toString();
  }

  private static void table(List<String[]> lines, StringBuilder text) {
    int[] widths = new int[lines.getFirst().length];
    for (String[] line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.min(WIDTH_MAX, Math.max(widths[i], line[i].length()));
      }
    }
    for (String[] line : lines) {
      StringBuilder one = new StringBuilder("  ");
      for (int i = 0; i < widths.length; i++) {
        one.append(line[i]).append(" ".repeat(Math.max(0, widths[i] - line[i].length()) + 2));
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
  }
}
