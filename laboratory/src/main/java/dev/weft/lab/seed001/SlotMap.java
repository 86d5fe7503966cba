package dev.weft.lab.seed001;

import java.util.Arrays;

/** The slots of a swap area, one page each: given out one after another within clusters of free ones, so that pages that leave together lie together. */
final class SlotMap {
  static final int NONE = -1;

  private final int[] owners;
  private final int clusterSlots;
  private int cursor;
  private int clusterEnd;
  private int used;

  SlotMap(int slots, int clusterSlots) {
    if (slots < 1 || clusterSlots < 1) {
      throw new IllegalArgumentException(slots + " slots in clusters of " + clusterSlots + ", must be at least 1");
    }
    this.owners = new int[slots];
    this.clusterSlots = clusterSlots;
    Arrays.fill(owners, NONE);
  }

  int slots() {
    return owners.length;
  }

  int used() {
    return used;
  }

  /** More than half of the area is in use; then Linux gives a slot back when its page comes in. */
  boolean isHalfFull() {
    return 2 * used > owners.length;
  }

  /** Whose page lies in the slot, or {@link #NONE}. */
  int owner(int slot) {
    return owners[slot];
  }

  /** A slot for the page, next to the one given before if that is free. */
  int allocate(int page) {
    if (used == owners.length) {
      throw new IllegalStateException("the swap area of " + owners.length + " pages is full");
    }
    while (cursor < clusterEnd && owners[cursor] != NONE) {
      cursor++;
    }
    if (cursor >= clusterEnd) {
      seekCluster();
    }
    owners[cursor] = page;
    used++;
    return cursor++;
  }

  void release(int slot) {
    if (owners[slot] == NONE) {
      throw new IllegalStateException("slot " + slot + " is free already");
    }
    owners[slot] = NONE;
    used--;
  }

  /** The first cluster without a page, else the first free slot. */
  private void seekCluster() {
    int free = 0;
    for (int slot = 0; slot < owners.length; slot++) {
      free = owners[slot] == NONE ? free + 1 : 0;
      if (free == clusterSlots) {
        cursor = slot + 1 - clusterSlots;
        clusterEnd = slot + 1;
        return;
      }
    }
    cursor = 0;
    while (owners[cursor] != NONE) {
      cursor++;
    }
    clusterEnd = cursor + 1;
  }
}
