package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Violations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One 8-byte word that several queue pairs change, and the check of the original values that they got: some serial order must explain them that
 * respects both each queue pair's own order and real time.
 */
final class AtomicWord {
  /** The request and answer of one atomic. */
  record Use(int end, int opIndex, long expected, long operand, long original, long postedNs, long doneNs) {}

  final int node;
  final int index;
  final long initial;
  /** Whether requests add to the word; otherwise they compare and swap. */
  final boolean adding;
  private final List<Use> uses = new ArrayList<>();

  AtomicWord(int node, int index, long initial, boolean adding) {
    this.node = node;
    this.index = index;
    this.initial = initial;
    this.adding = adding;
  }

  void record(Use use) {
    uses.add(use);
  }

  /** Checks the history against the word's final value. */
  void check(long finalValue, Violations violations) {
    List<Use> serial = adding ? serialAdds() : serialSwaps(violations);
    long value = initial;
    for (Use use : serial) {
      if (use.original != value) {
        violations.add(this + ": no serial order explains " + use + "; the word must have been " + value);
        return;
      }
      value = adding ? value + use.operand : use.expected == value ? use.operand : value;
    }
    if (value != finalValue) {
      violations.add(this + " is " + finalValue + " at the end; after " + uses.size() + " atomics it must be " + value);
    }
    checkOrder(serial, violations);
  }

  private List<Use> serialAdds() {
    List<Use> serial = new ArrayList<>(uses);
    serial.sort((a, b) -> Long.compareUnsigned(a.original - initial, b.original - initial));
    return serial;
  }

  /** All swapped-in values are unique, so successful swaps form a chain; the original value of a failed swap gives its place in the chain. */
  private List<Use> serialSwaps(Violations violations) {
    Map<Long, Integer> position = new HashMap<>();
    Map<Long, Use> successes = new HashMap<>();
    for (Use use : uses) {
      if (use.original == use.expected && successes.put(use.original, use) != null) {
        violations.add(this + ": " + use.original + " was replaced twice, by " + use);
      }
    }
    long value = initial;
    position.put(value, 0);
    for (Use next = successes.get(value); next != null; next = successes.get(value)) {
      value = next.operand;
      if (position.put(value, position.size()) != null) {
        break;
      }
    }
    List<Use> serial = new ArrayList<>(uses);
    serial.sort(Comparator.comparingInt((Use use) -> position.getOrDefault(use.original, Integer.MAX_VALUE))
        .thenComparing(use -> use.original == use.expected)
        .thenComparingLong(Use::postedNs)
        .thenComparingInt(Use::opIndex));
    return serial;
  }

  private void checkOrder(List<Use> serial, Violations violations) {
    Map<Integer, Integer> lastOfEnd = new HashMap<>();
    long latestPostNs = Long.MIN_VALUE;
    for (Use use : serial) {
      Integer before = lastOfEnd.put(use.end, use.opIndex);
      if (before != null && before > use.opIndex) {
        violations.add(this + ": " + use + " took effect after #" + before + " of the same queue pair");
        return;
      }
      if (use.doneNs < latestPostNs) {
        violations.add(this + ": " + use + " was done before one was posted that took effect earlier");
        return;
      }
      latestPostNs = Math.max(latestPostNs, use.postedNs);
    }
  }

  @Override
  public String toString() {
    return "word " + index + " of node " + node;
  }
}
