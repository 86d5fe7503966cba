package dev.weft.lab.repro;

import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.PngPlot;
import dev.weft.lab.repro.plot.SvgPlot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A page with every table and plot of some runs, and the plots beside it. */
final class HtmlReport {
  private static final String STYLE = """
      body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1b1f24}
      table{border-collapse:collapse;margin:.8em 0}td,th{padding:.25em .7em;border-bottom:1px solid #d5dbe1;text-align:left}
      .agrees,.holds{color:#14692c}.differs,.fails{color:#a61b1b;font-weight:bold}.note{color:#4a545e}img{max-width:100%}
      """;

  private HtmlReport() {}

  /** Writes {@code report.html} and for each chart an SVG and a PNG; the directory is made if it is not there. */
  static void write(List<Run> runs, Figures figures, Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Run run : runs) {
      for (Chart chart : run.charts()) {
        Files.writeString(directory.resolve(chart.file() + ".svg"), SvgPlot.of(chart), StandardCharsets.UTF_8);
        Files.write(directory.resolve(chart.file() + ".png"), PngPlot.of(chart));
      }
    }
    Files.writeString(directory.resolve("report.html"), page(runs, figures), StandardCharsets.UTF_8);
  }

  static String page(List<Run> runs, Figures figures) {
    StringBuilder page = new StringBuilder("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
        + "<title>weft repro</title>\n<style>\n" + STYLE + "</style>\n<h1>What the papers report, and what Weft gives</h1>\n"
        + "<p>Times are virtual unless a section says otherwise: results of the protocol code under a hardware profile, from a seed."
        + " A profile is fitted to the rows marked calibrated; predicted rows are read by nothing but this report. They are no blind"
        + " predictions: whoever built the models knew them. Rows that follow from inputs stand apart and count for nothing.</p>\n");
    Summary summary = Summary.of(runs, figures);
    page.append("<p>").append(escape(summary.predictedText())).append("<br>").append(escape(summary.apartText())).append("</p>\n");
    runs.forEach(run -> section(run, page));
    page.append("<h2>Rows that no experiment speaks to</h2>\n<table><tr><th>row<th>what<th>paper<th>unit<th>why</tr>\n");
    for (Figure row : figures.all()) {
      if (Experiments.speakingTo(row.id(), Experiments.all()).isEmpty()) {
        page.append("<tr>");
        for (String cell : List.of(row.id(), row.subject() + ", " + row.configuration(), row.value(), row.unit(), NotYet.reason(row))) {
          page.append("<td>").append(escape(cell));
        }
        page.append("</tr>\n");
      }
    }
    page.append("</table>\n");
    return page.append("</html>\n").toString();
  }

  private static void section(Run run, StringBuilder page) {
    page.append("<h2>").append(escape(run.experiment().name())).append("</h2>\n<p>").append(escape(run.experiment().title()))
        .append("; ").append(escape(run.conditions())).append(".</p>\n");
    if (!run.judged().isEmpty()) {
      page.append("<table><tr><th>row<th>what<th>paper<th>ours<th>unit<th>ratio<th>kind<th>tolerance<th>verdict</tr>\n");
      run.judged().forEach(c -> row(c, page));
      page.append("</table>\n");
    }
    run.judged().stream().filter(c -> !c.choice().isEmpty()).forEach(c -> page.append("<p class=\"note\">choice: ")
        .append(escape(c.row().id() + " " + c.verdictText() + " with " + c.choice())).append("</p>\n"));
    derived(run.derived(), page);
    run.tables().forEach(table -> table(table, page));
    run.checks().forEach(check -> page.append("<p><span class=\"").append(check.verdictText()).append("\">").append(check.verdictText())
        .append("</span>: ").append(escape(check.statement())).append(" (").append(escape(check.seen())).append(")</p>\n"));
    run.notes().forEach(note -> page.append("<p class=\"note\">").append(escape(note)).append("</p>\n"));
    for (Chart chart : run.charts()) {
      page.append("<p><img src=\"").append(escape(chart.file())).append(".svg\" alt=\"").append(escape(chart.title())).append("\"></p>\n");
    }
  }

  private static void derived(List<Comparison> rows, StringBuilder page) {
    if (rows.isEmpty()) {
      return;
    }
    page.append("<p>Rows that follow from inputs and could not have come out otherwise; not counted:</p>\n")
        .append("<table><tr><th>row<th>what<th>paper<th>ours<th>unit<th>ratio<th>follows from</tr>\n");
    for (Comparison c : rows) {
      page.append("<tr>");
      for (String cell : List.of(c.row().id(), c.row().subject() + ", " + c.row().configuration(), c.paperText(), c.oursText(),
          c.row().unit(), c.ratioText(), c.derivation().text())) {
        page.append("<td>").append(escape(cell));
      }
      page.append("</tr>\n");
    }
    page.append("</table>\n");
  }

  private static void table(Table table, StringBuilder page) {
    page.append("<p>").append(escape(table.title())).append("</p>\n<table><tr>");
    table.heads().forEach(head -> page.append("<th>").append(escape(head)));
    page.append("</tr>\n");
    for (List<Object> line : table.lines()) {
      page.append("<tr>");
      line.forEach(cell -> page.append("<td>").append(escape(Table.text(cell))));
      page.append("</tr>\n");
    }
    page.append("</table>\n");
  }

  private static void row(Comparison c, StringBuilder page) {
    page.append("<tr>");
    for (String cell : List.of(c.row().id(), c.row().subject() + ", " + c.row().configuration(), c.paperText(), c.oursText(),
        c.row().unit(), c.ratioText(), c.useText(), c.toleranceText())) {
      page.append("<td>").append(escape(cell));
    }
    page.append("<td class=\"").append(c.verdictText()).append("\">").append(c.verdictText()).append("</tr>\n");
  }

  private static String escape(String text) {
    return SvgPlot.escape(text);
  }
}
