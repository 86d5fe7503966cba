package dev.weft.hca.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** What the checkers found wrong. Bounded: the first {@value #KEPT_MAX} texts are kept, the others counted. */
final class Violations {
  private static final int KEPT_MAX = 20;

  private final LongSupplier clock;
  private final List<String> texts = new ArrayList<>();
  private final List<String> explanations = new ArrayList<>();
  private int count;

  Violations(LongSupplier clock) {
    this.clock = clock;
  }

  void add(String text) {
    if (count++ < KEPT_MAX) {
      texts.add("at " + clock.getAsLong() + " ns: " + text);
    }
  }

  /** Something that helps to find the cause, listed behind the violations. */
  void explain(String text) {
    if (explanations.size() < KEPT_MAX) {
      explanations.add(text);
    }
  }

  boolean isEmpty() {
    return count == 0;
  }

  List<String> texts() {
    List<String> all = new ArrayList<>(texts);
    if (count > KEPT_MAX) {
      all.add("and " + (count - KEPT_MAX) + " more");
    }
    all.addAll(explanations);
    return List.copyOf(all);
  }
}
