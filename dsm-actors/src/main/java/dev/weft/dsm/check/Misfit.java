package dev.weft.dsm.check;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Where the operations on a word cannot be put in an order: up to the end of {@code culprit} they cannot, up to just before it they can. What
 * had begun by then and ended later may stand in that order or not, if it does then with the result that it had: it may as well be that one
 * that is wrong.
 *
 * @param word its number
 * @param culprit the operation at whose end no order is left
 * @param explained what could be ordered before, in one such order, the longest that was found
 * @param pending what else had begun when the culprit ended and is not in that order
 * @param values what the word could be while the culprit ran, over all orders; the first {@link #VALUES_MAX}
 */
public record Misfit(long word, Operation culprit, List<Operation> explained, List<Operation> pending, SortedSet<Long> values) {
  /** Values that are kept: enough for a person. */
  public static final int VALUES_MAX = 16;

  /** Operations of the order that a person is shown, from its end. */
  private static final int SHOWN = 8;

  public Misfit {
    explained = List.copyOf(explained);
    pending = List.copyOf(pending);
    values = new TreeSet<>(values);
  }

  /** Several lines for a person. */
  @Override
  public String toString() {
    int from = Math.max(0, explained.size() - SHOWN);
    StringBuilder text = new StringBuilder("word ").append(word).append(": ").append(culprit).append(" fits nowhere\n");
    text.append("  the word could be ").append(values.stream().map(String::valueOf).collect(Collectors.joining(" or ")));
    text.append(values.size() == VALUES_MAX ? " or more" : "").append(" while it ran\n");
    text.append("  an order of ").append(explained.size()).append(" operations before it, the last ").append(explained.size() - from);
    lines(text.append(":\n"), explained.subList(from, explained.size()));
    if (!pending.isEmpty()) {
      lines(text.append("  not in that order, and begun before it ended:\n"), pending);
    }
    return text.toString().stripTrailing();
  }

  private static void lines(StringBuilder text, List<Operation> operations) {
    operations.forEach(operation -> text.append("    ").append(operation).append('\n'));
  }
}
