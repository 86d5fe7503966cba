package dev.weft.tripwire.cam;

/**
 * Identifiers of Tripwires that have fired, in order, until the interrupt's handler takes them (seed 003 section 2.5). When it is full,
 * firings are counted for each Tripwire instead, and {@link #pollMissed} tells them afterwards: order is lost then, firings are not.
 */
public final class EventFifo {
  /** Nothing there. */
  public static final int NONE = -1;

  private final int[] ring;
  private int head;
  private int count;
  /** Firings of each Tripwire that found no room, and the list of those that have some. */
  private final int[] missed;
  private final int[] nextMissed;
  private int firstMissed = NONE;
  private int lastMissed = NONE;
  private long overflows;

  /**
   * An empty FIFO.
   *
   * @param entries identifiers that fit, 1 or more
   * @param tripwires highest identifier + 1
   */
  public EventFifo(int entries, int tripwires) {
    ring = new int[entries];
    missed = new int[tripwires];
    nextMissed = new int[tripwires];
  }

  /** Notes a firing; false if it had to be counted instead. */
  public boolean offer(int id) {
    if (count < ring.length && firstMissed == NONE) {
      int tail = head + count;
      ring[tail < ring.length ? tail : tail - ring.length] = id;
      count++;
      return true;
    }
    overflows++;
    if (missed[id]++ == 0) {
      nextMissed[id] = NONE;
      if (firstMissed == NONE) {
        firstMissed = id;
      } else {
        nextMissed[lastMissed] = id;
      }
      lastMissed = id;
    }
    return false;
  }

  /** The oldest identifier, or {@link #NONE}. */
  public int poll() {
    if (count == 0) {
      return NONE;
    }
    int id = ring[head];
    head = head + 1 == ring.length ? 0 : head + 1;
    count--;
    return id;
  }

  /** After the last {@link #poll}: a Tripwire with firings that found no room, or {@link #NONE}. {@link #takeMissed} is called next. */
  public int pollMissed() {
    return firstMissed;
  }

  /** How many firings of the Tripwire that {@link #pollMissed} answered found no room; they are told with this. */
  public int takeMissed() {
    int id = firstMissed;
    int firings = missed[id];
    missed[id] = 0;
    firstMissed = nextMissed[id];
    return firings;
  }

  public boolean isEmpty() {
    return count == 0 && firstMissed == NONE;
  }

  /** Firings that found no room, since the start. */
  public long overflows() {
    return overflows;
  }

  public int size() {
    return count;
  }
}
