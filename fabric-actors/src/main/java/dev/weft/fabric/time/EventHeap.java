package dev.weft.fabric.time;

import java.util.Arrays;

/**
 * A binary heap of events ordered by (nanosecond, sequence): equal deadlines leave in the order in which they came.
 * Deadlines are compared by difference, as {@link System#nanoTime()} demands. An event is a pair of references whose
 * meaning is the owner's. Not thread-safe; the arrays grow by doubling up to the bound, and {@link #add} refuses beyond.
 */
public final class EventHeap {
  private static final int INITIAL_CAPACITY = 64;

  private final int maxEvents;
  private long[] deadlines = new long[INITIAL_CAPACITY];
  private long[] sequences = new long[INITIAL_CAPACITY];
  private Object[] targets = new Object[INITIAL_CAPACITY];
  private Object[] arguments = new Object[INITIAL_CAPACITY];
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
    if (size == maxEvents) {
      throw new IllegalStateException(
          "the heap holds its maximum of " + maxEvents + " pending timers; raise max-timers or set fewer");
    }
    if (size == deadlines.length) {
      grow();
    }
    long sequence = nextSequence++;
    siftUp(size++, deadlineNs, sequence, target, argument);
    return sequence;
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
    return deadlines[0];
  }

  /** Sequence number of the earliest event; only while not empty. */
  public long headSequence() {
    return sequences[0];
  }

  /** First reference of the earliest event; only while not empty. */
  public Object headTarget() {
    return targets[0];
  }

  /** Second reference of the earliest event; only while not empty. */
  public Object headArgument() {
    return arguments[0];
  }

  /** Removes the earliest event; only while not empty. */
  public void removeHead() {
    int last = --size;
    long deadline = deadlines[last];
    long sequence = sequences[last];
    Object target = targets[last];
    Object argument = arguments[last];
    targets[last] = null;
    arguments[last] = null;
    if (last > 0) {
      siftDown(deadline, sequence, target, argument);
    }
  }

  private boolean before(long deadlineA, long sequenceA, int b) {
    long difference = deadlineA - deadlines[b];
    return difference < 0 || (difference == 0 && sequenceA < sequences[b]);
  }

  private void siftUp(int from, long deadline, long sequence, Object target, Object argument) {
    int i = from;
    while (i > 0) {
      int parent = (i - 1) >>> 1;
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
      int child = 2 * i + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && before(deadlines[child + 1], sequences[child + 1], child)) {
        child++;
      }
      if (before(deadline, sequence, child)) {
        break;
      }
      move(child, i);
      i = child;
    }
    put(i, deadline, sequence, target, argument);
  }

  private void move(int from, int to) {
    put(to, deadlines[from], sequences[from], targets[from], arguments[from]);
  }

  private void put(int i, long deadline, long sequence, Object target, Object argument) {
    deadlines[i] = deadline;
    sequences[i] = sequence;
    targets[i] = target;
    arguments[i] = argument;
  }

  private void grow() {
    int capacity = (int) Math.min(maxEvents, 2L * deadlines.length);
    deadlines = Arrays.copyOf(deadlines, capacity);
    sequences = Arrays.copyOf(sequences, capacity);
    targets = Arrays.copyOf(targets, capacity);
    arguments = Arrays.copyOf(arguments, capacity);
  }
}
