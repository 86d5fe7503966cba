package dev.weft.service.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text: each column is as wide as its widest cell; a head that starts with {@code >} aligns its column to the right. */
public final class TextTable {
  private final List<String> heads;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... heads) {
    this.heads = List.of(heads);
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException if the number of cells differs from the number of columns
   */
  public TextTable row(Object... cells) {
    if (cells.length != heads.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + heads.size() + " columns: " + Arrays.toString(cells));
    }
    rows.add(Arrays.stream(cells).map(String::valueOf).toList());
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The number of rows without the heads. */
  public int size() {
    return rows.size();
  }

  /** Returns the heads and the rows, one line each. */
  public List<String> lines() {
    List<List<String>> all = new ArrayList<>();
    all.add(heads.stream().map(head -> head.startsWith(">") ? head.substring(1) : head).toList());
    all.addAll(rows);
    int[] widths = new int[heads.size()];
    for (List<String> row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return all.stream().map(row -> line(row, widths)).toList();
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String blanks = " ".repeat(widths[i] - row.get(i).length());
      line.append(i == 0 ? "" : "  ").append(heads.get(i).startsWith(">") ? blanks + row.get(i) : row.get(i) + blanks);
    }
    return line.toString().stripTrailing();
  }
}
