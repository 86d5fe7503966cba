package dev.weft.lab.hosts;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;

/**
 * The cache of queue pair contexts of an engine of an adapter: the contexts that it used last. An access takes constant time, and memory grows
 * only with the contexts in use, because a host that sends to a thousand others uses each context in turn.
 */
final class QpContexts {
  private static final int NONE = -1;
  /** The slot that holds both ends of the list of slots, which is in the order of their use. */
  private static final int ENDS = 0;
  private static final int INITIAL_SLOTS = 8;

  private final int entries;
  private final Long2LongHashMap slotOf = new Long2LongHashMap(NONE);
  /** For each slot from 1 on: its queue pair, the slot used next after it, and the slot used last before it. */
  private long[] queuePairs = new long[INITIAL_SLOTS];
  private int[] newer = new int[INITIAL_SLOTS];
  private int[] older = new int[INITIAL_SLOTS];
  private int count;

  /** @param entries number of contexts that fit, 1 or more */
  QpContexts(int entries) {
    this.entries = entries;
  }

  /** Uses a context. Returns whether it had to be fetched; it then replaces the least recently used context if the cache is full. */
  boolean misses(long queuePair) {
    if (count > 0 && queuePairs[older[ENDS]] == queuePair) {
      return false;
    }
    int slot = (int) slotOf.get(queuePair);
    boolean missing = slot == NONE;
    if (missing) {
      slot = count < entries ? add() : newer[ENDS];
      if (newer[slot] != NONE) {
        slotOf.remove(queuePairs[slot]);
      }
      queuePairs[slot] = queuePair;
      slotOf.put(queuePair, slot);
    }
    if (newer[slot] != NONE) {
      older[newer[slot]] = older[slot];
      newer[older[slot]] = newer[slot];
    }
    int last = older[ENDS];
    older[slot] = last;
    newer[slot] = ENDS;
    newer[last] = slot;
    older[ENDS] = slot;
    return missing;
  }

  /** Returns a new slot that is not in the list yet. */
  private int add() {
    int slot = ++count;
    if (slot == queuePairs.length) {
      queuePairs = Arrays.copyOf(queuePairs, 2 * slot);
      newer = Arrays.copyOf(newer, 2 * slot);
      older = Arrays.copyOf(older, 2 * slot);
    }
    newer[slot] = NONE;
    return slot;
  }
}
