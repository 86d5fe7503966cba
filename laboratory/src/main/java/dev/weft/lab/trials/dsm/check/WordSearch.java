package dev.weft.lab.trials.dsm.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The search for an order of the operations on one word. A list has the calls and returns by time; an operation that is put into the order leaves the
 * list. Only operations called before the first remaining return may come next. If none of them fits, the last choice was wrong.
 *
 * <p>Operations that change nothing are placed as soon as they fit, without a choice: any order that has one later is as valid with it here.
 */
final class WordSearch {
  private final List<Operation> operations;
  private final long stepsMax;
  private final int configurationsMax;
  private final int count;
  private final int head;

  /** Operation {@code i} is called at event {@code i} and returns at event {@code count + i}. */
  private final int[] next;

  private final int[] previous;

  /** Position of each event in time. */
  private final int[] rank;

  /** The previous operation of the same thread, or -1. */
  private final int[] before;

  private final long[] ordered;
  private final int[] order;
  private final long[] valueBefore;
  private final Set<Configuration> seen = new HashSet<>();
  private int depth;
  private int returnsLeft;
  private long value;
  private long steps;

  private int furthest = -1;
  private int furthestEvent = -1;
  private int[] furthestOrder = {};
  private final SortedSet<Long> furthestValues = new TreeSet<>();

  WordSearch(List<Operation> operations, long initial, long stepsMax, int configurationsMax) {
    this.operations = operations;
    this.stepsMax = stepsMax;
    this.configurationsMax = configurationsMax;
    count = operations.size();
    head = 2 * count;
    next = new int[2 * count + 1];
    previous = new int[2 * count + 1];
    rank = new int[2 * count];
    before = new int[count];
    ordered = new long[count + 63 >> 6];
    order = new int[count];
    valueBefore = new long[count];
    value = initial;
    link();
    linkThreads();
  }

  /** At the same tick, calls come before returns, so touching operations are concurrent. */
  private void link() {
    List<Integer> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(i);
      if (operations.get(i).returned()) {
        events.add(count + i);
        returnsLeft++;
      }
    }
    events.sort((a, b) -> {
      int byTime = Long.compare(time(a), time(b));
      return byTime != 0 ? byTime : Boolean.compare(a >= count, b >= count);
    });
    int last = head;
    for (int i = 0; i < events.size(); i++) {
      int event = events.get(i);
      rank[event] = i;
      next[last] = event;
      previous[event] = last;
      last = event;
    }
    next[last] = head;
    previous[head] = last;
  }

  private long time(int event) {
    return event < count ? operations.get(event).invokedAt() : operations.get(event - count).returnedAt();
  }

  private void linkThreads() {
    Map<Integer, Integer> last = new HashMap<>();
    for (int i = 0; i < count; i++) {
      Integer earlier = last.put(operations.get(i).thread(), i);
      before[i] = earlier == null ? -1 : earlier;
    }
  }

  /** Runs the search; can be called only once. */
  Verdict run() {
    takePure();
    int event = next[head];
    while (returnsLeft > 0) {
      if (steps > stepsMax || seen.size() >= configurationsMax) {
        return Verdict.UNDECIDED;
      }
      if (event < count) {
        steps++;
        event = choose(event) ? next[head] : next[event];
      } else {
        noteStuck(event);
        int undone = undo();
        if (undone < 0) {
          return Verdict.VIOLATED;
        }
        event = next[undone];
      }
    }
    return Verdict.HOLDS;
  }

  /** Puts an operation next in the order, if it fits there and leads to a configuration not seen before. */
  private boolean choose(int operation) {
    if (operations.get(operation).pure() || !fits(operation)) {
      return false;
    }
    take(operation);
    takePure();
    if (seen.add(new Configuration(ordered, value))) {
      return true;
    }
    undo();
    return false;
  }

  private boolean fits(int operation) {
    return (before[operation] < 0 || isOrdered(before[operation])) && operations.get(operation).possible(value);
  }

  private boolean isOrdered(int operation) {
    return (ordered[operation >> 6] & 1L << operation) != 0;
  }

  private void takePure() {
    int event = next[head];
    while (event < count) {
      steps++;
      if (operations.get(event).pure() && fits(event)) {
        take(event);
        event = next[head];
      } else {
        event = next[event];
      }
    }
  }

  private void take(int operation) {
    order[depth] = operation;
    valueBefore[depth++] = value;
    value = operations.get(operation).after(value);
    ordered[operation >> 6] |= 1L << operation;
    unlink(operation);
    if (operations.get(operation).returned()) {
      unlink(count + operation);
      returnsLeft--;
    }
  }

  /** Takes the last choice and its consequences back; returns its operation, or -1 if there is none. */
  private int undo() {
    while (depth > 0) {
      int operation = order[--depth];
      value = valueBefore[depth];
      ordered[operation >> 6] &= ~(1L << operation);
      if (operations.get(operation).returned()) {
        relink(count + operation);
        returnsLeft++;
      }
      relink(operation);
      if (!operations.get(operation).pure()) {
        return operation;
      }
    }
    return -1;
  }

  private void unlink(int event) {
    next[previous[event]] = next[event];
    previous[next[event]] = previous[event];
  }

  /** The reverse of {@link #unlink}, in the reverse order. */
  private void relink(int event) {
    next[previous[event]] = event;
    previous[next[event]] = event;
  }

  /** All orders end at or before the latest noted return: the operations up to it have no order. */
  private void noteStuck(int event) {
    boolean further = rank[event] > furthest;
    if (further) {
      furthest = rank[event];
      furthestEvent = event;
      furthestValues.clear();
    }
    if (rank[event] == furthest) {
      if (furthestValues.size() < Misfit.VALUES_MAX) {
        furthestValues.add(value);
      }
      if (further || depth > furthestOrder.length) {
        furthestOrder = Arrays.copyOf(order, depth);
      }
    }
  }

  long steps() {
    return steps;
  }

  /** The violation, after {@link Verdict#VIOLATED}. */
  Misfit misfit(long word) {
    Operation culprit = operations.get(furthestEvent - count);
    Set<Integer> placed = new HashSet<>();
    List<Operation> explained = new ArrayList<>();
    for (int operation : furthestOrder) {
      placed.add(operation);
      explained.add(operations.get(operation));
    }
    List<Operation> pending = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      if (rank[i] < furthest && !placed.contains(i) && operations.get(i) != culprit) {
        pending.add(operations.get(i));
      }
    }
    return new Misfit(word, culprit, explained, pending, furthestValues);
  }

  /** The operations in the order and the value of the word; what may follow depends on nothing else. */
  private static final class Configuration {
    private final long[] key;
    private final int hash;

    Configuration(long[] ordered, long value) {
      key = Arrays.copyOf(ordered, ordered.length + 1);
      key[ordered.length] = value;
      hash = Arrays.hashCode(key);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Configuration configuration && Arrays.equals(key, configuration.key);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
