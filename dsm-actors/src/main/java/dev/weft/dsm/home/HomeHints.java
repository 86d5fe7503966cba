package dev.weft.dsm.home;

import java.util.function.IntPredicate;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Where homes have moved to, as far as one node knows. A home's numbers for what it does ({@code op}) go with it when it moves, so of two hints that
 * with the higher number is the younger one; only it is kept. So each node on a chain of hints has become the home later than those before it, and a
 * chain ends at the home.
 *
 * <p>Bound: one for each minipage of arrays whose homes move.
 */
final class HomeHints {
  private static final class Hint {
    int node;
    int op;
  }

  private final Int2ObjectHashMap<Hint> hints = new Int2ObjectHashMap<>();

  /** The node that was the home last, or {@code otherwise} if nothing is known. */
  int get(int minipage, int otherwise) {
    Hint hint = hints.get(minipage);
    return hint == null ? otherwise : hint.node;
  }

  /** A node was the home when it did what has this number. */
  void learn(int minipage, int node, int op) {
    Hint hint = hints.get(minipage);
    if (hint == null) {
      hint = new Hint();
      hints.put(minipage, hint);
    } else if (op - hint.op <= 0) {
      return;
    }
    hint.node = node;
    hint.op = op;
  }

  /** All homes of these are again where they were first. */
  void forget(IntPredicate minipages) {
    hints.keySet().removeIf(minipages::test);
  }

  /** Number of the youngest hint; -1 if there is none. */
  int opOf(int minipage) {
    Hint hint = hints.get(minipage);
    return hint == null ? -1 : hint.op;
  }
}
