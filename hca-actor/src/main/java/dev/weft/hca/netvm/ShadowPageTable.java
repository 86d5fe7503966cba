package dev.weft.hca.netvm;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The HCA's page table of one address space, with one word for each page (NetVM, abstract). The host writes a word whenever it maps or unmaps a page.
 * The HCA locks a page for the duration of a transfer. Locks are counted; while a page has locks, the host cannot take its frame. All operations are
 * single atomic steps: any thread may call them, and they never block.
 */
public final class ShadowPageTable {
  /** Result of {@link #lock} for a page without a frame. */
  static final int ABSENT = -1;
  /** Result of {@link #lock} for a page that is not mapped. */
  static final int DENIED = -2;

  /** Result of {@link #unmap}. */
  enum Unmapped { LOCKED, CLEAN, DIRTY }

  private static final long MAPPED = 1;
  private static final long RESIDENT = 1 << 1;
  private static final long DIRTY = 1 << 2;
  private static final long REFERENCED = 1 << 3;
  /** The host waits for the release of the last lock. */
  private static final long WANTED = 1 << 4;
  private static final int LOCK_SHIFT = 8;
  private static final long LOCK_ONE = 1 << LOCK_SHIFT;
  /** Counts how often the page was mapped or unmapped, which distinguishes data for a former mapping from data for the current one. */
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

  /** Locks a page and returns its frame, or {@link #ABSENT} or {@link #DENIED}. Locking for writing marks the page as dirty. */
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

  /** Releases one lock; returns true if it was the last and the host waits for that. */
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

  /** Maps a page that has no frame yet. */
  void allow(int page) {
    words.set(page, nextGeneration(words.get(page)) | MAPPED);
  }

  /** Gives a mapped page a frame. */
  void map(int page, int frame, boolean dirty) {
    long generation = words.get(page) & GENERATION;
    words.set(page, (long) frame << FRAME_SHIFT | generation | MAPPED | RESIDENT | REFERENCED | (dirty ? DIRTY : 0));
  }

  /** Takes the frame from a page. If the page is locked, changes nothing; {@link #unlock} then reports the release of the last lock. */
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

  /** Forbids access to a page. Returns false if the page is still locked; {@link #unlock} then reports the release of the last lock. */
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

  /** Clears the entry of a denied page that is no longer locked. */
  void clear(int page) {
    words.set(page, words.get(page) & GENERATION);
  }

  /** Whether the page was accessed since the last call for it. */
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

  /** Returns the entry of a page, for inspection; null if the page is not mapped. */
  PageTableSnapshot.Entry entry(int space, int page, long address) {
    long word = words.get(page);
    if ((word & MAPPED) == 0) {
      return null;
    }
    boolean resident = (word & RESIDENT) != 0;
    return new PageTableSnapshot.Entry(space, page, address, resident ? (int) (word >>> FRAME_SHIFT) : -1, resident && (word & DIRTY) != 0,
        resident && (word & REFERENCED) != 0, (int) locks(word), (int) (word >>> GENERATION_SHIFT & 0xff));
  }

  /** Returns the number of locks on a page. */
  int locks(int page) {
    return (int) locks(words.get(page));
  }

  boolean isDirty(int page) {
    return (words.get(page) & DIRTY) != 0;
  }
}
