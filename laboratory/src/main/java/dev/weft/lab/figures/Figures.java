package dev.weft.lab.figures;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All rows of {@code figures.csv}, checked, in the order of the file. Immutable. */
public final class Figures {
  private static final String RESOURCE = "/figures.csv";
  private static final String HEADER = "id,seed,where,subject,configuration,metric,value,unit,use";
  private static final int COLUMNS = 9;

  private final Map<String, Figure> rows;

  private Figures(Map<String, Figure> rows) {
    this.rows = rows;
  }

  /** The rows that ship with Weft. */
  public static Figures load() {
    try (InputStream in = Figures.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + RESOURCE + " is missing from the build");
      }
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads rows separated by commas, without quotes.
   *
   * @throws IllegalArgumentException for anything malformed or twice; names the line
   */
  public static Figures parse(String csv) {
    List<String> lines = csv.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().equals(HEADER)) {
      throw new IllegalArgumentException("line 1 must be '" + HEADER + "'");
    }
    Map<String, Figure> rows = new LinkedHashMap<>();
    for (int i = 1; i < lines.size(); i++) {
      try {
        Figure row = row(lines.get(i));
        if (rows.put(row.id(), row) != null) {
          throw new IllegalArgumentException(row.id() + " is there twice");
        }
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException("line " + (i + 1) + ": " + wrong.getMessage(), wrong);
      }
    }
    return new Figures(rows);
  }

  private static Figure row(String line) {
    String[] c = line.split(",", -1);
    if (c.length != COLUMNS) {
      throw new IllegalArgumentException(c.length + " columns, must be " + COLUMNS);
    }
    return new Figure(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], use(c[0], c[8]));
  }

  private static Figure.Use use(String id, String text) {
    for (Figure.Use use : Figure.Use.values()) {
      if (use.text().equals(text.toLowerCase(Locale.ROOT))) {
        return use;
      }
    }
    throw new IllegalArgumentException(id + ": use '" + text + "' is none of calibrate, predict, reference");
  }

  /** All rows in the order of the file. */
  public List<Figure> all() {
    return List.copyOf(new ArrayList<>(rows.values()));
  }

  /** The row of that id. */
  public Optional<Figure> find(String id) {
    return Optional.ofNullable(rows.get(id));
  }

  /** What a profile or an experiment may see. */
  public Calibration calibration() {
    return new Calibration(this);
  }
}
