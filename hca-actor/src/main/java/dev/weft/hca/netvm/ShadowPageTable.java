package dev.weft.hca.netvm;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The page table of one address space as the HCA sees it, one word for each page (seed 004, abstract). The host writes a word whenever it
 * maps or unmaps a page; the HCA locks a page for the moment of a transfer. Locks are counted; while there are any, the host cannot take
 * the frame away. All operations are single atomic steps: any thread, nothing blocks.
 */
public final class ShadowPageTable {
  /** What {@link #lock} answers for a page that has no frame now. */
  static final int ABSENT = -1;
  /** What {@link #lock} answers for a page that is not mapped. */
  static final int DENIED = -2;

  /** What {@link #unmap} answers. */
  enum Unmapped { LOCKED, CLEAN, DIRTY }

  private static final long MAPPED = 1;
  private static final long RESIDENT = 1 << 1;
  private static final long DIRTY = 1 << 2;
  private static final long REFERENCED = 1 << 3;
  /** The host waits for the last lock to go. */
  private static final long WANTED = 1 << 4;
  private static final int LOCK_SHIFT = 8;
  private static final long LOCK_ONE = 1 << LOCK_SHIFT;
  /** How often the page was mapped or unmapped, so that what was meant for a former mapping is told from the present one. */
  private static final int GENERATION_SHIFT = 24;
  private static final long GENERATION = 0xffL << GENERATION_SHIFT;
  private static final long LOCKS_MAX = 0xffff;
  private static final int FRAME_SHIFT = 32;

  private final AtomicLongArray words;

  ShadowPageTable(int pages) {
    words = new AtomicLongArray(pages);
  }

  private static long locks(long word) {
    return word >>> LOCK_SHIFT & LOCKS_MAX;
  }

  /** Locks a page and answers its frame, or {@link #ABSENT} or {@link #DENIED}; a page locked for writing is dirty. */
  int lock(int page, boolean write) {
    while (true) {
      long word = words.get(page);
      if ((word & MAPPED) == 0) {
        return DENIED;
      }
      if ((word & RESIDENT) == 0) {
        return ABSENT;
      }
      if (locks(word) == LOCKS_MAX) {
        throw new IllegalStateException("page " + page + " is locked " + LOCKS_MAX + " times already");
      }
      long locked = word + LOCK_ONE | REFERENCED | (write ? DIRTY : 0);
      if (words.compareAndSet(page, word, locked)) {
        return (int) (word >>> FRAME_SHIFT);
      }
    }
  }

  /** Gives one lock back; true if it was the last and the host waits for that. */
  boolean unlock(int page) {
    while (true) {
      long word = words.get(page);
      if (locks(word) == 0) {
        throw new IllegalStateException("page " + page + " is not locked");
      }
      if (words.compareAndSet(page, word, word - LOCK_ONE)) {
        return locks(word) == 1 && (word & WANTED) != 0;
      }
    }
  }

  private static long nextGeneration(long word) {
    return word + (1L << GENERATION_SHIFT) & GENERATION;
  }

  int generation(int page) {
    return (int) (words.get(page) >>> GENERATION_SHIFT & 0xff);
  }

  /** The page may be accessed and has no frame yet. */
  void allow(int page) {
    words.set(page, nextGeneration(words.get(page)) | MAPPED);
  }

  /** The page has a frame from now on. */
  void map(int page, int frame, boolean dirty) {
    long generation = words.get(page) & GENERATION;
    words.set(page, (long) frame << FRAME_SHIFT | generation | MAPPED | RESIDENT | REFERENCED | (dirty ? DIRTY : 0));
  }

  /** Takes the frame away, unless the page is locked; then {@link #unlock} will say when it is not. */
  Unmapped unmap(int page) {
    while (true) {
      long word = words.get(page);
      if (locks(word) > 0) {
        if (words.compareAndSet(page, word, word | WANTED)) {
          return Unmapped.LOCKED;
        }
      } else if (words.compareAndSet(page, word, word & GENERATION | MAPPED)) {
        return (word & DIRTY) != 0 ? Unmapped.DIRTY : Unmapped.CLEAN;
      }
    }
  }

  /** Nobody may access the page any more; false if somebody still does, then {@link #unlock} will say when not. */
  boolean deny(int page) {
    while (true) {
      long word = words.get(page);
      boolean free = locks(word) == 0;
      long denied = free ? 0 : (word | WANTED) & ~(MAPPED | GENERATION);
      if (words.compareAndSet(page, word, denied | nextGeneration(word))) {
        return free;
      }
    }
  }

  /** Forgets a page that was denied and is not locked any more. */
  void clear(int page) {
    words.set(page, words.get(page) & GENERATION);
  }

  /** Whether the page was accessed since this was asked last. */
  boolean takeReference(int page) {
    while (true) {
      long word = words.get(page);
      if ((word & REFERENCED) == 0) {
        return false;
      }
      if (words.compareAndSet(page, word, word & ~REFERENCED)) {
        return true;
      }
    }
  }

  boolean isResident(int page) {
    return (words.get(page) & (RESIDENT | MAPPED)) == (RESIDENT | MAPPED);
  }

  boolean isMapped(int page) {
    return (words.get(page) & MAPPED) != 0;
  }

  /** One word, for inspection; null if the page is not mapped. */
  PageTableSnapshot.Entry entry(int space, int page, long address) {
    long word = words.get(page);
    if ((word & MAPPED) == 0) {
      return null;
    }
    boolean resident = (word & RESIDENT) != 0;
    return new PageTableSnapshot.Entry(space, page, address, resident ? (int) (word >>> FRAME_SHIFT) : -1, resident && (word & DIRTY) != 0,
        resident && (word & REFERENCED) != 0, (int) locks(word), (int) (word >>> GENERATION_SHIFT & 0xff));
  }

  /** Locks held on a page. */
  int locks(int page) {
    return (int) locks(words.get(page));
  }

  boolean isDirty(int page) {
    return (words.get(page) & DIRTY) != 0;
  }
}
