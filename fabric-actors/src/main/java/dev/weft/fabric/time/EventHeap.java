package dev.weft.fabric.time;

import java.util.Arrays;

/**
 * A heap of events ordered by (nanosecond, sequence): events with equal deadlines leave in the order in which they came. Deadlines are
 * compared by difference, as {@link System#nanoTime()} requires. An event is a pair of references; the owner defines their meaning. Not
 * thread-safe. The arrays grow by doubling up to a bound; beyond it, {@link #add} throws.
 *
 * <p>Each event has four children, whose keys are adjacent in memory. If many events are pending, each level costs a cache miss, and four
 * children make fewer levels.
 */
public final class EventHeap {
  private static final int INITIAL_CAPACITY = 64;
  private static final int CHILDREN_SHIFT = 2;
  private static final int CHILDREN = 1 << CHILDREN_SHIFT;

  private final int maxEvents;
  private int capacity = INITIAL_CAPACITY;
  /** Deadline and sequence of each event. */
  private long[] keys = new long[2 * INITIAL_CAPACITY];
  /** Target and argument of each event. */
  private Object[] references = new Object[2 * INITIAL_CAPACITY];
  private int size;
  private long nextSequence;

  /** @param maxEvents largest number of pending events, at least 1 */
  public EventHeap(int maxEvents) {
    if (maxEvents < 1) {
      throw new IllegalArgumentException("maxEvents is " + maxEvents + ", must be at least 1");
    }
    this.maxEvents = maxEvents;
  }

  /**
   * Adds an event.
   *
   * @return its sequence number, unique in this heap
   * @throws IllegalStateException if the heap already holds its maximum
   */
  public long add(long deadlineNs, Object target, Object argument) {
    long sequence = nextSequence++;
    add(deadlineNs, sequence, target, argument);
    return sequence;
  }

  /** Does the same with a sequence number from the caller, which must then provide all of them. */
  void add(long deadlineNs, long sequence, Object target, Object argument) {
    if (size == maxEvents) {
      throw new IllegalStateException(
          "the heap holds its maximum of " + maxEvents + " pending timers; raise max-timers or set fewer");
    }
    if (size == capacity) {
      grow();
    }
    siftUp(size++, deadlineNs, sequence, target, argument);
  }

  /** How many events are pending. */
  public int size() {
    return size;
  }

  /** Whether no event is pending. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Deadline of the earliest event; only while not empty. */
  public long headDeadlineNs() {
    return keys[0];
  }

  /** Sequence number of the earliest event; only while not empty. */
  public long headSequence() {
    return keys[1];
  }

  /** First reference of the earliest event; only while not empty. */
  public Object headTarget() {
    return references[0];
  }

  /** Second reference of the earliest event; only while not empty. */
  public Object headArgument() {
    return references[1];
  }

  /** Removes the earliest event; only while not empty. */
  public void removeHead() {
    int last = --size;
    long deadline = keys[2 * last];
    long sequence = keys[2 * last + 1];
    Object target = references[2 * last];
    Object argument = references[2 * last + 1];
    references[2 * last] = null;
    references[2 * last + 1] = null;
    if (last > 0) {
      siftDown(deadline, sequence, target, argument);
    }
  }

  private boolean before(long deadlineA, long sequenceA, int b) {
    long difference = deadlineA - keys[2 * b];
    return difference < 0 || (difference == 0 && sequenceA < keys[2 * b + 1]);
  }

  private void siftUp(int from, long deadline, long sequence, Object target, Object argument) {
    int i = from;
    while (i > 0) {
      int parent = (i - 1) >>> CHILDREN_SHIFT;
      if (!before(deadline, sequence, parent)) {
        break;
      }
      move(parent, i);
      i = parent;
    }
    put(i, deadline, sequence, target, argument);
  }

  private void siftDown(long deadline, long sequence, Object target, Object argument) {
    int i = 0;
    while (true) {
      int first = (i << CHILDREN_SHIFT) + 1;
      if (first >= size) {
        break;
      }
      int child = earliest(first, Math.min(first + CHILDREN, size));
      if (before(deadline, sequence, child)) {
        break;
      }
      move(child, i);
      i = child;
    }
    put(i, deadline, sequence, target, argument);
  }

  private int earliest(int from, int to) {
    int best = from;
    for (int i = from + 1; i < to; i++) {
      if (before(keys[2 * i], keys[2 * i + 1], best)) {
        best = i;
      }
    }
    return best;
  }

  private void move(int from, int to) {
    put(to, keys[2 * from], keys[2 * from + 1], references[2 * from], references[2 * from + 1]);
  }

  private void put(int i, long deadline, long sequence, Object target, Object argument) {
    keys[2 * i] = deadline;
    keys[2 * i + 1] = sequence;
    references[2 * i] = target;
    references[2 * i + 1] = argument;
  }

  private void grow() {
    capacity = (int) Math.min(maxEvents, 2L * capacity);
    keys = Arrays.copyOf(keys, 2 * capacity);
    references = Arrays.copyOf(references, 2 * capacity);
  }
}
