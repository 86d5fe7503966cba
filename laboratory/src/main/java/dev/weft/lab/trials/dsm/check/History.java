package dev.weft.lab.trials.dsm.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Operations of several threads on several words. The operations of one thread are added in program order; threads may be added one after the other.
 * Words are 0 at first unless {@link #initial(long, long)} says otherwise. Not safe for several threads.
 */
public final class History {
  /** Maximum number of operations, so that a file fits into memory. */
  public static final int OPERATIONS_MAX = 1_000_000;

  private final List<Operation> operations = new ArrayList<>();
  private final SortedMap<Long, Long> initial = new TreeMap<>();
  private final Map<Integer, Operation> lastOfThread = new HashMap<>();

  /**
   * Adds an operation.
   *
   * @throws IllegalArgumentException if it began before the last one of its thread had ended, or if there are too many
   */
  public History add(Operation operation) {
    if (operations.size() == OPERATIONS_MAX) {
      throw new IllegalArgumentException("more than " + OPERATIONS_MAX + " operations");
    }
    Operation last = lastOfThread.get(operation.thread());
    if (last != null && !last.returned()) {
      throw new IllegalArgumentException(
          "thread " + operation.thread() + " goes on after an operation that never returned; give what goes on a number of its own");
    }
    if (last != null && operation.invokedAt() < last.returnedAt()) {
      throw new IllegalArgumentException("thread " + operation.thread() + " began at " + operation.invokedAt()
          + ", before its last operation ended at " + last.returnedAt() + "; operations of a thread must come in its order");
    }
    lastOfThread.put(operation.thread(), operation);
    operations.add(operation);
    return this;
  }

  /**
   * Sets the initial value of a word.
   *
   * @throws IllegalArgumentException if it was set before
   */
  public History initial(long word, long value) {
    if (word < 0) {
      throw new IllegalArgumentException("word " + word + ", must be 0 or more");
    }
    if (initial.putIfAbsent(word, value) != null) {
      throw new IllegalArgumentException("the first value of word " + word + " was given before");
    }
    return this;
  }

  /** The initial value of a word. */
  public long initial(long word) {
    return initial.getOrDefault(word, 0L);
  }

  /** The initial values that were set. */
  public SortedMap<Long, Long> initials() {
    return Collections.unmodifiableSortedMap(initial);
  }

  /** All operations, in the order in which they were added. */
  public List<Operation> operations() {
    return Collections.unmodifiableList(operations);
  }

  /** The operations on each word. */
  public SortedMap<Long, List<Operation>> byWord() {
    SortedMap<Long, List<Operation>> words = new TreeMap<>();
    operations.forEach(operation -> words.computeIfAbsent(operation.word(), word -> new ArrayList<>()).add(operation));
    return words;
  }

  /** The operations of each thread. */
  public SortedMap<Integer, List<Operation>> byThread() {
    SortedMap<Integer, List<Operation>> threads = new TreeMap<>();
    operations.forEach(operation -> threads.computeIfAbsent(operation.thread(), thread -> new ArrayList<>()).add(operation));
    return threads;
  }
}
