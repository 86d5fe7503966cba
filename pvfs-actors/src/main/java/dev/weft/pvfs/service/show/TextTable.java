package dev.weft.pvfs.service.show;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows for people: columns as wide as their widest cell; a head that starts with {@code >} sets its column to the right. */
public final class TextTable {
  private final List<String> heads;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... heads) {
    this.heads = List.of(heads);
  }

  /** One more row, with a cell for each column. */
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

  /** The heads and the rows, a line each. */
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
