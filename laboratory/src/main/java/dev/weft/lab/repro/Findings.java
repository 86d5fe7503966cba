package dev.weft.lab.repro;

import dev.weft.lab.repro.plot.Chart;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run of an experiment found. Filled by the experiment, then read. */
public final class Findings {
  private final Map<String, Measured> rows = new LinkedHashMap<>();
  private final Map<Chart, List<PaperPoint>> charts = new LinkedHashMap<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Answers a row; each once. */
  public Findings row(String id, Measured measured) {
    if (rows.put(id, measured) != null) {
      throw new IllegalStateException("row " + id + " is answered twice");
    }
    return this;
  }

  /** Adds a plot, and where the paper's numbers go in it. */
  public Findings chart(Chart chart, PaperPoint... paper) {
    charts.put(chart, List.of(paper));
    return this;
  }

  /** Adds numbers that no row asks for. */
  public Findings table(Table table) {
    tables.add(table);
    return this;
  }

  /** Adds something that must hold and is no row. */
  public Findings check(String statement, boolean holds, String seen) {
    checks.add(new Check(statement, holds, seen));
    return this;
  }

  /** Adds a sentence: the scale, what the model lacks, counts that explain a number. */
  public Findings note(String sentence) {
    notes.add(sentence);
    return this;
  }

  public Map<String, Measured> rows() {
    return Collections.unmodifiableMap(rows);
  }

  Map<Chart, List<PaperPoint>> charts() {
    return Collections.unmodifiableMap(charts);
  }

  public List<Table> tables() {
    return List.copyOf(tables);
  }

  public List<Check> checks() {
    return List.copyOf(checks);
  }

  public List<String> notes() {
    return List.copyOf(notes);
  }
}
