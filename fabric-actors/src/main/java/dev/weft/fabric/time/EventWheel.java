package dev.weft.fabric.time;

import java.util.Arrays;

/**
 * The events of virtual time, ordered by (nanosecond, sequence) as in {@link EventHeap}. The events of the next {@link #SPAN_NS} nanoseconds
 * are in lists, one for each nanosecond, and cost constant time; later events wait on a heap. Deadlines must not be before that of the last
 * event removed. Not thread-safe. Bounded; beyond the bound, {@link #add} throws.
 *
 * <p>A simulation of thousands of hosts has tens of thousands of pending events. A heap of that size causes cache misses. Here, an event is
 * written and read once, in a slot that was used recently.
 *
 * <p>The order within a list is that of arrival, which is the order of sequence numbers. An event on the heap arrived while its nanosecond
 * was still out of reach, so before all events that were put directly into the list. It moves to the list as soon as its nanosecond is in
 * reach.
 */
final class EventWheel {
  private static final int WORDS = 64;
  /** Lists of the wheel. One summary word has a bit for each word of occupied lists, so that two steps find the next list that is not empty. */
  static final int SPAN_NS = WORDS * Long.SIZE;
  private static final int MASK = SPAN_NS - 1;
  private static final int INITIAL_CAPACITY = 64;
  private static final int NONE = -1;

  private final int maxEvents;
  private final EventHeap later;
  /** The first slot of each nanosecond's list in the upper half, the last slot in the lower; valid if the bit of the list is set. */
  private final long[] lists = new long[SPAN_NS];
  private final long[] occupied = new long[WORDS];
  private long occupiedWords;
  /** The sequence number and the following slot of each slot; free slots form a list, too. */
  private long[] sequences = new long[INITIAL_CAPACITY];
  private int[] following = new int[INITIAL_CAPACITY];
  /** Target and argument of each slot. */
  private Object[] references = new Object[2 * INITIAL_CAPACITY];
  private int free = NONE;
  private int used;
  private int near;
  private long nextSequence;
  /** Deadline of the last event removed. No event is due before it; the lists hold the events that are due less than a span after it. */
  private long fromNs;

  /** @param maxEvents largest number of pending events, at least 1 */
  EventWheel(int maxEvents) {
    this.maxEvents = maxEvents;
    this.later = new EventHeap(maxEvents);
  }

  int size() {
    return near + later.size();
  }

  boolean isEmpty() {
    return near == 0 && later.isEmpty();
  }

  /**
   * Adds an event.
   *
   * @throws IllegalStateException if the maximum number of events is pending
   */
  void add(long deadlineNs, Object target, Object argument) {
    if (size() >= maxEvents) {
      throw new IllegalStateException(maxEvents + " timers are pending already; raise weft.virtual-time.max-pending or set fewer");
    }
    if (deadlineNs - fromNs >= SPAN_NS) {
      later.add(deadlineNs, nextSequence++, target, argument);
    } else {
      append((int) deadlineNs & MASK, nextSequence++, target, argument);
    }
  }

  /** Returns the deadline of the earliest event; only while not empty. */
  long headDeadlineNs() {
    return near == 0 ? later.headDeadlineNs() : fromNs + (firstOccupied() - (int) fromNs & MASK);
  }

  /** Returns the slot of the earliest event; only while not empty, and only when its time has come. */
  int head() {
    reach(headDeadlineNs());
    return first((int) fromNs & MASK);
  }

  /** Removes the event of {@link #head}. */
  void removeHead() {
    int list = (int) fromNs & MASK;
    int slot = first(list);
    if (slot == last(list)) {
      clear(list);
    } else {
      lists[list] = (long) following[slot] << Integer.SIZE | last(list);
    }
    references[2 * slot] = null;
    references[2 * slot + 1] = null;
    following[slot] = free;
    free = slot;
    near--;
  }

  long sequence(int slot) {
    return sequences[slot];
  }

  Object target(int slot) {
    return references[2 * slot];
  }

  Object argument(int slot) {
    return references[2 * slot + 1];
  }

  private int first(int list) {
    return (int) (lists[list] >>> Integer.SIZE);
  }

  private int last(int list) {
    return (int) lists[list];
  }

  /** Advances the time to {@code ns} and moves the events that are now in reach from the heap to the lists. */
  private void reach(long ns) {
    fromNs = ns;
    while (!later.isEmpty() && later.headDeadlineNs() - ns < SPAN_NS) {
      append((int) later.headDeadlineNs() & MASK, later.headSequence(), later.headTarget(), later.headArgument());
      later.removeHead();
    }
  }

  private void append(int list, long sequence, Object target, Object argument) {
    int slot = take();
    sequences[slot] = sequence;
    references[2 * slot] = target;
    references[2 * slot + 1] = argument;
    long bit = 1L << list;
    int word = list >>> 6;
    if ((occupied[word] & bit) == 0) {
      occupied[word] |= bit;
      occupiedWords |= 1L << word;
      lists[list] = (long) slot << Integer.SIZE | slot;
    } else {
      following[last(list)] = slot;
      lists[list] = lists[list] >>> Integer.SIZE << Integer.SIZE | slot;
    }
    near++;
  }

  private int take() {
    if (free != NONE) {
      int slot = free;
      free = following[slot];
      return slot;
    }
    if (used == sequences.length) {
      int capacity = (int) Math.min(maxEvents, 2L * used);
      sequences = Arrays.copyOf(sequences, capacity);
      following = Arrays.copyOf(following, capacity);
      references = Arrays.copyOf(references, 2 * capacity);
    }
    return used++;
  }

  private void clear(int list) {
    int word = list >>> 6;
    occupied[word] &= ~(1L << list);
    if (occupied[word] == 0) {
      occupiedWords &= ~(1L << word);
    }
  }

  /** Returns the first list from {@link #fromNs} on, around the wheel, that is not empty; only if there is one. */
  private int firstOccupied() {
    int start = (int) fromNs & MASK;
    int word = start >>> 6;
    long bits = occupied[word] & -1L << start;
    if (bits != 0) {
      return word << 6 | Long.numberOfTrailingZeros(bits);
    }
    // Checks the words after this one, then from the start on. This word is checked again, for its lists before the current time.
    long words = word == WORDS - 1 ? 0 : occupiedWords & -1L << word + 1;
    int next = Long.numberOfTrailingZeros(words != 0 ? words : occupiedWords);
    return next << 6 | Long.numberOfTrailingZeros(occupied[next]);
  }
}
