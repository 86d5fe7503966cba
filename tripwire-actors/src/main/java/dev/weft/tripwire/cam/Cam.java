package dev.weft.tripwire.cam;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The Tripwires of one NIC. Each has a range of bytes, is armed or not, once or persistent, and has actions for its firings. Arming is a bit, so a
 * Tripwire that fires again and again stays in its index. Hardware thread. Bound: {@code capacity} Tripwires.
 */
public final class Cam {
  /** Action: put the identifier into the FIFO, and interrupt. */
  public static final int FIFO = 1;
  /** Action: set the Tripwire's bit in memory of the application. */
  public static final int BITMAP = 2;
  /** Action: count in memory of the application. */
  public static final int COUNTER = 4;
  public static final int ALL_ACTIONS = FIFO | BITMAP | COUNTER;

  private static final Bank[] BANKS = Bank.values();

  private final int capacity;
  private final RangeIndex[] index = new RangeIndex[BANKS.length];
  private final int[] armedCount = new int[BANKS.length];
  private final Bank[] bank;
  private final byte[] actions;
  private final BitSet allocated = new BitSet();
  private final BitSet armed = new BitSet();
  private final BitSet persistent = new BitSet();
  private final ArrayDeque<Integer> freed = new ArrayDeque<>();
  private final EventFifo fifo;
  private final Notifications notifications;
  /** Firings of each Tripwire since it was allocated. */
  private final long[] matches;
  private int used;
  private long firings;

  /**
   * An empty CAM.
   *
   * @param capacity maximum number of Tripwires, 1 or more
   * @param fifoEntries see {@link EventFifo}
   */
  public Cam(int capacity, int fifoEntries) {
    this.capacity = capacity;
    bank = new Bank[capacity];
    actions = new byte[capacity];
    matches = new long[capacity];
    fifo = new EventFifo(fifoEntries, capacity);
    notifications = new Notifications(capacity);
  }

  public EventFifo fifo() {
    return fifo;
  }

  public Notifications notifications() {
    return notifications;
  }

  /** Allocates a Tripwire that watches nothing yet; returns -1 if all are in use. */
  public int allocate() {
    Integer id = freed.poll();
    if (id == null) {
      if (used == capacity) {
        return -1;
      }
      id = used++;
    }
    allocated.set(id);
    notifications.clear(id);
    matches[id] = 0;
    return id;
  }

  public void free(int id) {
    check(id);
    unset(id);
    allocated.clear(id);
    freed.add(id);
  }

  /** Replaces the watched range of a Tripwire, and disarms it. */
  public void set(int id, Bank newBank, long start, long end, boolean once, int newActions) {
    check(id);
    unset(id);
    if (index[newBank.ordinal()] == null) {
      index[newBank.ordinal()] = new RangeIndex(capacity);
    }
    index[newBank.ordinal()].add(id, start, end);
    bank[id] = newBank;
    actions[id] = (byte) newActions;
    persistent.set(id, !once);
  }

  /** Sets the actions of later firings. */
  public void setActions(int id, int newActions) {
    check(id);
    actions[id] = (byte) newActions;
  }

  private void unset(int id) {
    disarm(id);
    if (bank[id] != null) {
      index[bank[id].ordinal()].remove(id);
      bank[id] = null;
    }
  }

  /** Arms a Tripwire: the next access fires it. Returns false if it watches nothing. */
  public boolean arm(int id) {
    if (!allocated.get(id) || bank[id] == null) {
      return false;
    }
    if (!armed.get(id)) {
      armed.set(id);
      armedCount[bank[id].ordinal()]++;
    }
    return true;
  }

  /** Returns false if it was not armed. */
  public boolean disarm(int id) {
    if (!armed.get(id)) {
      return false;
    }
    armed.clear(id);
    armedCount[bank[id].ordinal()]--;
    return true;
  }

  public boolean isArmed(int id) {
    return armed.get(id);
  }

  /** Whether any Tripwire of that kind is armed. */
  public boolean watches(Bank kind) {
    return armedCount[kind.ordinal()] != 0;
  }

  /**
   * An access is complete, and its data is visible.
   *
   * @param more whether the same access continues at {@code end}: Tripwires that watch bytes beyond it fire later, once
   * @return whether an identifier was put into the FIFO
   */
  public boolean passed(Bank kind, long start, long end, boolean more) {
    if (armedCount[kind.ordinal()] == 0) {
      return false;
    }
    RangeIndex ranges = index[kind.ordinal()];
    int count = ranges.match(start, end);
    boolean interrupt = false;
    for (int i = 0; i < count; i++) {
      int id = ranges.matched(i);
      if (armed.get(id) && !(more && ranges.end(id) > end)) {
        interrupt |= fire(id);
      }
    }
    return interrupt;
  }

  private boolean fire(int id) {
    firings++;
    matches[id]++;
    if (!persistent.get(id)) {
      disarm(id);
    }
    int todo = actions[id];
    if ((todo & COUNTER) != 0) {
      notifications.count(id);
    }
    if ((todo & BITMAP) != 0) {
      notifications.setBit(id);
    }
    if ((todo & FIFO) != 0) {
      fifo.offer(id);
    }
    return (todo & FIFO) != 0;
  }

  private void check(int id) {
    if (id < 0 || id >= capacity || !allocated.get(id)) {
      throw new IllegalArgumentException("Tripwire " + id + " is not allocated");
    }
  }

  /** Allocated Tripwires by number, at most {@code limit} after the first {@code offset}. */
  public CamSnapshot snapshot(int offset, int limit) {
    List<CamSnapshot.Entry> entries = new ArrayList<>();
    int skip = offset;
    for (int id = allocated.nextSetBit(0); id >= 0 && entries.size() < limit; id = allocated.nextSetBit(id + 1)) {
      if (skip-- > 0) {
        continue;
      }
      RangeIndex ranges = bank[id] == null ? null : index[bank[id].ordinal()];
      entries.add(new CamSnapshot.Entry(id, bank[id], ranges == null ? 0 : ranges.start(id), ranges == null ? 0 : ranges.end(id),
          armed.get(id), !persistent.get(id), actions[id], matches[id]));
    }
    return new CamSnapshot(allocatedCount(), Math.min(offset, allocatedCount()), entries);
  }

  public int capacity() {
    return capacity;
  }

  public int allocatedCount() {
    return used - freed.size();
  }

  public int armedCount() {
    return armed.cardinality();
  }

  public long firings() {
    return firings;
  }
}
