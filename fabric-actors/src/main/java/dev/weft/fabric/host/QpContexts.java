package dev.weft.fabric.host;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;

/**
 * The contexts of queue pairs that an engine of an adapter has at hand: the ones used last. Takes constant time and memory for what was
 * used, because a host that sends to a thousand others uses each of them in turn.
 */
final class QpContexts {
  private static final int NONE = -1;
  /** The ends of the list of slots in the order of their use. */
  private static final int ENDS = 0;
  private static final int INITIAL_SLOTS = 8;

  private final int entries;
  private final Long2LongHashMap slotOf = new Long2LongHashMap(NONE);
  /** Slots from 1 on: queue pair, the slot used next after it, the slot used last before it. */
  private long[] queuePairs = new long[INITIAL_SLOTS];
  private int[] newer = new int[INITIAL_SLOTS];
  private int[] older = new int[INITIAL_SLOTS];
  private int count;

  /** @param entries contexts that fit, 1 or more */
  QpContexts(int entries) {
    this.entries = entries;
  }

  /** Uses a context; whether it had to be fetched, in place of the one that was not used for longest. */
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

  /** A slot that is not in the list yet. */
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
