package dev.weft.dsm.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Announcements of the application's threads before they touch shared memory, one slot for each thread. The owner of a slot writes it; the protocol
 * reads all slots. Bound: {@code slotsMax}; a further thread takes the slot of a thread that has ended, or is refused.
 *
 * <p>Layout for other nodes: the first word is the number of used slots; slots of 128 bytes follow, the first at offset 128.
 */
public final class Announcements {
  /** Size of a slot in bytes: two cache lines, so that neighbours do not disturb each other. */
  public static final int STRIDE = 128;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  /**
   * Offsets in a slot: minipage + 1 of a single write; first + 1, last + 1 and rights of a held range; the minipage and rights that the thread waits
   * for.
   */
  private static final int WRITES = 0;
  private static final int HOLD_FIRST = 8;
  private static final int HOLD_LAST = 16;
  private static final int HOLD_RIGHTS = 24;
  private static final int WAITS = 32;
  private static final int RIGHTS_BITS = 2;

  /** The slot of one thread, which the thread keeps while it lives. It refers to no other object of the node, which may have ended long before. */
  public static final class Slot {
    /** Keeps the memory at {@link #at} alive. */
    @SuppressWarnings({"unused", "UnusedVariable"})
    private final MemorySegment memory;
    private final long at;
    private final boolean isFenced;
    final Thread thread;
    /** The state of the slot's thread. */
    final InPlace inPlace = InPlace.mine();

    private Slot(MemorySegment memory, boolean isFenced, Thread thread) {
      this.memory = memory;
      this.at = memory.address();
      this.isFenced = isFenced;
      this.thread = thread;
      memory.fill((byte) 0);
    }

    /** Begins a single write, if the right that the thread reads next allows it. */
    void writes(int minipage) {
      LONG.setOpaque(CheckedArray.MEMORY, at + WRITES, minipage + 1L);
      if (isFenced) {
        VarHandle.fullFence();
      } else {
        VarHandle.releaseFence();
      }
    }

    /** Ends the write, or takes the announcement back. */
    void wrote() {
      LONG.setRelease(CheckedArray.MEMORY, at + WRITES, 0L);
    }

    /** Holds the minipages from {@code first} to {@code last}, if the rights that the thread reads next are sufficient. */
    void hold(int first, int last, byte rights) {
      LONG.setOpaque(CheckedArray.MEMORY, at + HOLD_LAST, last + 1L);
      LONG.setOpaque(CheckedArray.MEMORY, at + HOLD_RIGHTS, (long) rights);
      LONG.setVolatile(CheckedArray.MEMORY, at + HOLD_FIRST, first + 1L);
    }

    void letGo() {
      LONG.setVolatile(CheckedArray.MEMORY, at + HOLD_FIRST, 0L);
    }

    /** The thread waits for rights, and should have a moment to use them when it has got them. */
    void waits(int minipage, byte rights) {
      LONG.setVolatile(CheckedArray.MEMORY, at + WAITS, minipage + 1L << RIGHTS_BITS | rights);
    }

    void waitsNoMore() {
      LONG.setVolatile(CheckedArray.MEMORY, at + WAITS, 0L);
    }
  }

  /** Keeps the memory at {@link #base} alive. */
  private final MemorySegment memory;
  private final long base;
  private final boolean isFenced;
  /** Owners of the slots, by weak references, so that threads and what they refer to can be collected. */
  private final List<WeakReference<Thread>> owners = new ArrayList<>();
  private final int slotsMax;
  private volatile int used;
  private final ThreadLocal<Slot> mine = ThreadLocal.withInitial(this::take);

  /** Announcements in private memory. A reader calls {@link MemoryBarrier} first, if the machine supports it. */
  public Announcements(int slotsMax) {
    this(Arena.ofAuto().allocate(bytes(slotsMax), STRIDE), slotsMax, !MemoryBarrier.isSupported());
  }

  /**
   * Announcements in memory that other nodes read.
   *
   * @param isFenced whether a thread that announces a write passes a full fence before it checks its right; if not, a reader must call
   *     {@link MemoryBarrier} between taking the right and reading the announcements
   */
  public Announcements(MemorySegment memory, int slotsMax, boolean isFenced) {
    this.memory = memory.asSlice(0, bytes(slotsMax));
    this.base = memory.address();
    this.isFenced = isFenced;
    this.slotsMax = slotsMax;
  }

  /** Size of the announcements of {@code slotsMax} threads in bytes. */
  public static long bytes(int slotsMax) {
    return (slotsMax + 1L) * STRIDE;
  }

  /** Number of used slots in a copy of the announcements. */
  public static int used(MemorySegment copy, long offset) {
    return (int) copy.get(ValueLayout.JAVA_LONG, offset);
  }

  /** As {@link #hasInside}, for a copy of the first {@code count} slots. */
  public static boolean hasInside(MemorySegment copy, long offset, int count, int minipage, byte rights) {
    return hasInside(copy.address() + offset, count, minipage, rights);
  }

  /** The slot of the calling thread. */
  Slot mine() {
    return mine.get();
  }

  private synchronized Slot take() {
    Thread me = Thread.currentThread();
    int index = 0;
    while (index < owners.size() && isAlive(owners.get(index).get())) {
      index++;
    }
    if (index == slotsMax) {
      throw new IllegalStateException("more than weft.dsm.threads-max = " + slotsMax + " threads of this node use shared memory");
    }
    Slot slot = new Slot(memory.asSlice((index + 1L) * STRIDE, STRIDE), isFenced, me);
    if (index == owners.size()) {
      owners.add(new WeakReference<>(me));
      used = owners.size();
    } else {
      owners.set(index, new WeakReference<>(me));
    }
    LONG.setVolatile(CheckedArray.MEMORY, base, (long) used);
    return slot;
  }

  private static boolean isAlive(Thread thread) {
    return thread != null && thread.isAlive();
  }

  /** Whether a thread is inside, or about to enter, with more than {@code rights}. Call this after a barrier in all threads. */
  boolean hasInside(int minipage, byte rights) {
    return hasInside(base, used, minipage, rights);
  }

  private static boolean hasInside(long base, int count, int minipage, byte rights) {
    long name = minipage + 1L;
    for (long at = base + STRIDE, end = at + (long) count * STRIDE; at < end; at += STRIDE) {
      if ((long) LONG.getVolatile(CheckedArray.MEMORY, at + WRITES) == name) {
        return true;
      }
      long first = (long) LONG.getVolatile(CheckedArray.MEMORY, at + HOLD_FIRST);
      if (first != 0 && first <= name && (long) LONG.getVolatile(CheckedArray.MEMORY, at + HOLD_LAST) >= name
          && (long) LONG.getVolatile(CheckedArray.MEMORY, at + HOLD_RIGHTS) > rights) {
        return true;
      }
    }
    return false;
  }

  /** Whether a thread is inside, or about to enter, any of these minipages. Call this after a barrier in all threads. */
  boolean hasInside(int first, int last) {
    for (long at = base + STRIDE, end = at + (long) used * STRIDE; at < end; at += STRIDE) {
      long written = (long) LONG.getVolatile(CheckedArray.MEMORY, at + WRITES);
      long held = (long) LONG.getVolatile(CheckedArray.MEMORY, at + HOLD_FIRST);
      if (written > first && written <= last + 1L || held != 0 && held <= last + 1L && (long) LONG.getVolatile(CheckedArray.MEMORY, at + HOLD_LAST) > first) {
        return true;
      }
    }
    return false;
  }

  /** Whether a thread that waited for rights, which {@code has} now gives it, has not continued yet. */
  boolean hasServed(int minipage, byte has) {
    for (long at = base + STRIDE, end = at + (long) used * STRIDE; at < end; at += STRIDE) {
      long waits = (long) LONG.getVolatile(CheckedArray.MEMORY, at + WAITS);
      if (waits >> RIGHTS_BITS == minipage + 1L && (waits & (1 << RIGHTS_BITS) - 1) <= has) {
        return true;
      }
    }
    return false;
  }
}
