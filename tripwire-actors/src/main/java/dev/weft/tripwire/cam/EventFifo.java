package dev.weft.tripwire.cam;

/**
 * Identifiers of fired Tripwires, in order, until the interrupt's handler takes them (CLAN, section 2.5). When it is full, firings are counted for
 * each Tripwire instead, and {@link #pollMissed} returns those afterwards: the order is lost then, but no firing.
 */
public final class EventFifo {
  /** No identifier. */
  public static final int NONE = -1;

  private final int[] ring;
  private int head;
  private int count;
  /** Number of firings of each Tripwire that found no room, and the list of Tripwires with such firings. */
  private final int[] missed;
  private final int[] nextMissed;
  private int firstMissed = NONE;
  private int lastMissed = NONE;
  private long overflows;

  /**
   * An empty FIFO.
   *
   * @param entries capacity, 1 or more
   * @param tripwires highest identifier + 1
   */
  public EventFifo(int entries, int tripwires) {
    ring = new int[entries];
    missed = new int[tripwires];
    nextMissed = new int[tripwires];
  }

  /** Records a firing; returns false if it was only counted. */
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

  /** After the last {@link #poll}: a Tripwire with firings that found no room, or {@link #NONE}. Call {@link #takeMissed} next. */
  public int pollMissed() {
    return firstMissed;
  }

  /** Takes the firings that found no room of the Tripwire that {@link #pollMissed} returned; returns their number. */
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

  /** Number of firings that found no room, since the start. */
  public long overflows() {
    return overflows;
  }

  public int size() {
    return count;
  }
}
