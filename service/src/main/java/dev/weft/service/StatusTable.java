package dev.weft.service;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One JVM's rows of a table in {@code weft status}. The command merges the rows of all JVMs with the same title into one table, whose second column is
 * the JVM.
 *
 * @param title of the table
 * @param columns column heads; a head that starts with {@code >} aligns its column to the right
 * @param rows one cell for each column
 */
public record StatusTable(String title, List<String> columns, List<List<String>> rows) {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  /** Copies the lists and checks that each row has one cell for each column. */
  public StatusTable {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
    for (List<String> row : rows) {
      if (row.size() != columns.size()) {
        throw new IllegalArgumentException("a row of \"" + title + "\" has " + row.size() + " cells for " + columns.size() + " columns: " + row);
      }
    }
  }

  /** Creates a table without rows. */
  public static StatusTable of(String title, String... columns) {
    return new StatusTable(title, List.of(columns), List.of());
  }

  /** Returns this table with one more row. */
  public StatusTable row(Object... cells) {
    List<List<String>> more = new ArrayList<>(rows);
    more.add(Arrays.stream(cells).map(String::valueOf).toList());
    return new StatusTable(title, columns, more);
  }

  /** Formats a number of bytes with three digits and a binary unit. */
  public static String bytes(long count) {
    double value = count;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 || value >= 100
        ? String.format(Locale.ROOT, "%.0f %s", value, UNITS[unit])
        : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }
}
