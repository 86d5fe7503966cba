package dev.weft.dsm.home;

import java.util.function.IntPredicate;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The last known homes of minipages whose homes move, as one node knows them. A home's operation number ({@code op}) moves with it, so the hint with
 * the higher number is younger, and only that one is kept. Each node on a chain of hints became the home later than those before it, so a chain ends
 * at the home.
 *
 * <p>Bound: one hint for each minipage of arrays whose homes move.
 */
final class HomeHints {
  private static final class Hint {
    int node;
    int op;
  }

  private final Int2ObjectHashMap<Hint> hints = new Int2ObjectHashMap<>();

  /** The last known home, or {@code otherwise} if there is no hint. */
  int get(int minipage, int otherwise) {
    Hint hint = hints.get(minipage);
    return hint == null ? otherwise : hint.node;
  }

  /** Records that {@code node} was the home during operation {@code op}. */
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

  /** Forgets the hints of these minipages, whose homes are at their anchors again. */
  void forget(IntPredicate minipages) {
    hints.keySet().removeIf(minipages::test);
  }

  /** Number of the youngest hint; -1 if there is none. */
  int opOf(int minipage) {
    Hint hint = hints.get(minipage);
    return hint == null ? -1 : hint.op;
  }
}
