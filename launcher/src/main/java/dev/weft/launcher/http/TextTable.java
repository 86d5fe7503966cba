package dev.weft.launcher.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text: columns as wide as needed, numbers to the right. */
final class TextTable {
  private final String title;
  private final List<String[]> rows = new ArrayList<>();

  /** @param heads column heads; one that starts with {@code >} is set to the right */
  TextTable(String title, String... heads) {
    this.title = title;
    rows.add(heads);
  }

  TextTable row(Object... cells) {
    rows.add(Arrays.stream(cells).map(String::valueOf).toArray(String[]::new));
    return this;
  }

  /** Drops what is below the first {@code count} rows. */
  void keepFirst(int count) {
    rows.subList(Math.min(rows.size(), count + 1), rows.size()).clear();
  }

  boolean isEmpty() {
    return rows.size() == 1;
  }

  void appendTo(StringBuilder out) {
    if (isEmpty()) {
      return;
    }
    String[] heads = rows.getFirst();
    boolean[] right = new boolean[heads.length];
    int[] width = new int[heads.length];
    for (int column = 0; column < heads.length; column++) {
      right[column] = heads[column].startsWith(">");
      heads[column] = right[column] ? heads[column].substring(1) : heads[column];
      for (String[] row : rows) {
        width[column] = Math.max(width[column], row[column].length());
      }
    }
    out.append('\n').append(title).append('\n');
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < heads.length; column++) {
        String gap = " ".repeat(width[column] - row[column].length());
        line.append("  ").append(right[column] ? gap + row[column] : row[column] + gap);
      }
      out.append(line.toString().stripTrailing()).append('\n');
    }
  }
}
