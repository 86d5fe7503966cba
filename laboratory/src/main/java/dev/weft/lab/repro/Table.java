package dev.weft.lab.repro;

import java.util.List;

/**
 * Numbers that no row asks for.
 *
 * @param title what they are, with the unit
 * @param heads names of the columns
 * @param lines cells, each a {@code String} or a {@code Double}; as many in a line as there are heads
 */
public record Table(String title, List<String> heads, List<List<Object>> lines) {
  public Table {
    heads = List.copyOf(heads);
    lines = lines.stream().map(List::copyOf).toList();
    for (List<Object> line : lines) {
      if (line.size() != heads.size()) {
        throw new IllegalArgumentException("table '" + title + "' has " + heads.size() + " columns and a line " + line);
      }
    }
  }

  /** A cell as text; numbers with four significant digits. */
  static String text(Object cell) {
    return cell instanceof Double number ? Comparison.number(number) : cell.toString();
  }
}
