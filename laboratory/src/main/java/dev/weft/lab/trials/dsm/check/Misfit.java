package dev.weft.lab.trials.dsm.check;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The point at which the operations on a word have no order: there is an order up to just before the end of {@code culprit}, but not up to that end.
 * Operations that had begun by then and ended later may be in the order, with the result that they had, so one of these may be the wrong one.
 *
 * @param word number of the word
 * @param culprit the operation at whose end no order is left
 * @param explained the longest order of the operations before that was found
 * @param pending other operations that had begun when the culprit ended and are not in that order
 * @param values possible values of the word while the culprit ran, over all orders; the first {@link #VALUES_MAX}
 */
public record Misfit(long word, Operation culprit, List<Operation> explained, List<Operation> pending, SortedSet<Long> values) {
  /** Limit of the values that are kept; enough for users. */
  public static final int VALUES_MAX = 16;

  /** Operations that the text shows, from the end of the order. */
  private static final int SHOWN = 8;

  public Misfit {
    explained = List.copyOf(explained);
    pending = List.copyOf(pending);
    values = new TreeSet<>(values);
  }

  /** Text for users, of several lines. */
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
