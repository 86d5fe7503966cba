package dev.weft.dsm.access;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What threads of the application say before they touch shared memory, a slot of its own for each. The owner of a slot writes it; the protocol
 * reads all. Bounded: a thread beyond {@code slotsMax} takes the slot of one that has ended, or is refused.
 */
public final class Announcements {
  static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  /** Longs of a slot: two cache lines, so that neighbours do not disturb each other. */
  private static final int STRIDE = 16;
  /** Where the parts of a slot are: minipage + 1 of a single write; first + 1, last + 1 and rights of a range that is held; what is waited for. */
  private static final int WRITES = 0;
  private static final int HOLD_FIRST = 1;
  private static final int HOLD_LAST = 2;
  private static final int HOLD_RIGHTS = 3;
  private static final int WAITS = 4;
  private static final int RIGHTS_BITS = 2;

  /** The announcements of one thread. */
  public final class Slot {
    private final int at;
    final Thread thread;

    private Slot(int index, Thread thread) {
      this.at = (index + 1) * STRIDE; // The first two lines hold the array's length.
      this.thread = thread;
    }

    /** A single write begins, if the right that is read next allows it. */
    void writes(int minipage) {
      if (MemoryBarrier.isSupported()) {
        LONGS.setOpaque(slots, at + WRITES, minipage + 1L);
        VarHandle.releaseFence();
      } else {
        LONGS.setVolatile(slots, at + WRITES, minipage + 1L);
      }
    }

    /** It is done, or did not begin. */
    void wrote() {
      LONGS.setRelease(slots, at + WRITES, 0L);
    }

    /** Minipages from {@code first} to {@code last} may not go, where the rights that are read next are there. */
    void hold(int first, int last, byte rights) {
      LONGS.setOpaque(slots, at + HOLD_LAST, last + 1L);
      LONGS.setOpaque(slots, at + HOLD_RIGHTS, (long) rights);
      LONGS.setVolatile(slots, at + HOLD_FIRST, first + 1L);
    }

    void letGo() {
      LONGS.setVolatile(slots, at + HOLD_FIRST, 0L);
    }

    /** The thread waits for rights; when it has got them it should have a moment to use them. */
    void waits(int minipage, byte rights) {
      LONGS.setVolatile(slots, at + WAITS, minipage + 1L << RIGHTS_BITS | rights);
    }

    void waitsNoMore() {
      LONGS.setVolatile(slots, at + WAITS, 0L);
    }
  }

  private final long[] slots;
  private final Slot[] owners;
  private volatile int used;
  private final ThreadLocal<Slot> mine = ThreadLocal.withInitial(this::take);

  public Announcements(int slotsMax) {
    slots = new long[(slotsMax + 2) * STRIDE];
    owners = new Slot[slotsMax];
  }

  /** The slot of the calling thread. */
  Slot mine() {
    return mine.get();
  }

  private synchronized Slot take() {
    Thread me = Thread.currentThread();
    int index = 0;
    while (index < used && owners[index].thread.isAlive()) {
      index++;
    }
    if (index == owners.length) {
      throw new IllegalStateException("more than weft.dsm.threads-max = " + owners.length + " threads of this node use shared memory");
    }
    Slot slot = new Slot(index, me);
    owners[index] = slot;
    Arrays.fill(slots, slot.at, slot.at + STRIDE, 0);
    used = Math.max(used, index + 1);
    return slot;
  }

  /** Whether a thread is inside, or about to be, with more than {@code rights}. After a barrier in all threads. */
  boolean hasInside(int minipage, byte rights) {
    long name = minipage + 1L;
    int end = (used + 1) * STRIDE;
    for (int at = STRIDE; at < end; at += STRIDE) {
      if ((long) LONGS.getVolatile(slots, at + WRITES) == name) {
        return true;
      }
      long first = (long) LONGS.getVolatile(slots, at + HOLD_FIRST);
      if (first != 0 && first <= name && (long) LONGS.getVolatile(slots, at + HOLD_LAST) >= name
          && (long) LONGS.getVolatile(slots, at + HOLD_RIGHTS) > rights) {
        return true;
      }
    }
    return false;
  }

  /** Whether a thread is inside, or about to be, in any of these minipages. After a barrier in all threads. */
  boolean hasInside(int first, int last) {
    int end = (used + 1) * STRIDE;
    for (int at = STRIDE; at < end; at += STRIDE) {
      long written = (long) LONGS.getVolatile(slots, at + WRITES);
      long held = (long) LONGS.getVolatile(slots, at + HOLD_FIRST);
      if (written > first && written <= last + 1L || held != 0 && held <= last + 1L && (long) LONGS.getVolatile(slots, at + HOLD_LAST) > first) {
        return true;
      }
    }
    return false;
  }

  /** Whether a thread still waits for what {@code has} gives it. */
  boolean hasServed(int minipage, byte has) {
    int end = (used + 1) * STRIDE;
    for (int at = STRIDE; at < end; at += STRIDE) {
      long waits = (long) LONGS.getVolatile(slots, at + WAITS);
      if (waits >> RIGHTS_BITS == minipage + 1L && (waits & (1 << RIGHTS_BITS) - 1) <= has) {
        return true;
      }
    }
    return false;
  }
}
