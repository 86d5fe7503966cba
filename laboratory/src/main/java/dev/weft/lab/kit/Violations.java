package dev.weft.lab.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The violations that checkers found. Bounded: keeps the first {@value #KEPT_MAX} texts, and counts the rest. */
public final class Violations {
  private static final int KEPT_MAX = 20;

  private final LongSupplier clock;
  private final List<String> texts = new ArrayList<>();
  private final List<String> explanations = new ArrayList<>();
  private int count;
  private long firstNs = -1;

  public Violations(LongSupplier clock) {
    this.clock = clock;
  }

  public void add(String text) {
    addAt(clock.getAsLong(), text);
  }

  /** Adds a violation that happened earlier and was noticed only now. */
  public void addAt(long timeNs, String text) {
    if (count++ == 0) {
      firstNs = timeNs;
    }
    if (count <= KEPT_MAX) {
      texts.add("at " + timeNs + " ns: " + text);
    }
  }

  /** Time of the first violation, or -1. */
  public long firstNs() {
    return firstNs;
  }

  /** Adds a fact that helps to find the cause; listed after the violations. */
  public void explain(String text) {
    if (explanations.size() < KEPT_MAX) {
      explanations.add(text);
    }
  }

  public boolean isEmpty() {
    return count == 0;
  }

  public List<String> texts() {
    List<String> all = new ArrayList<>(texts);
    if (count > KEPT_MAX) {
      all.add("and " + (count - KEPT_MAX) + " more");
    }
    all.addAll(explanations);
    return List.copyOf(all);
  }
}
