package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.agrona.collections.LongArrayQueue;

/**
 * The free parts of a piece of memory: whole chunks, and pages of divided chunks. A chunk becomes whole again when all of its pages are free. All
 * memory given out is zeroed: freed memory is cleaned first, in slices or when no clean memory is left. Memory that RDMA may still access is not
 * given out.
 */
final class StripePool {
  static final int CHUNK_BYTES = Sums.BLOCK_BYTES;
  static final int PAGE_BYTES = 4096;
  static final int PAGES = CHUNK_BYTES / PAGE_BYTES;
  static final long NONE = -1;
  private static final char ALL = 0xffff;

  private final MemorySegment memory;
  private final int[] clean;
  private int cleanCount;
  /** For each divided chunk, a bit for each of its pages that is clean and free. */
  private final char[] cleanPages;
  /** Chunks that have such pages. */
  private final BitSet divided = new BitSet();
  /** No chunk below this one has such pages. */
  private int dividedFrom;
  /** Freed memory in order: chunks, and pages as their complements. */
  private final LongArrayQueue dirty = new LongArrayQueue(Long.MIN_VALUE);
  /** For each, the transfers that had begun when it was freed. */
  private final LongArrayQueue dirtySince = new LongArrayQueue(Long.MIN_VALUE);
  private long freeBytes;
  private long transfersBegun;
  private long transfersOver;

  /** Uses zeroed memory of a whole number of chunks. */
  StripePool(MemorySegment memory) {
    this.memory = memory;
    clean = new int[(int) (memory.byteSize() / CHUNK_BYTES)];
    cleanPages = new char[clean.length];
    freeBytes = memory.byteSize();
    for (int chunk = clean.length; chunk-- > 0;) {
      clean[cleanCount++] = chunk;
    }
  }

  /** Includes memory that is not clean or still accessed. */
  long freeBytes() {
    return freeBytes;
  }

  /** As {@link StripeMemory#allowReuse}. */
  void allowReuse(long begun, long over) {
    transfersBegun = begun;
    transfersOver = over;
  }

  /** Whether some freed memory is not clean yet. */
  boolean hasDirty() {
    return !dirty.isEmpty();
  }

  /** Returns the number of a chunk; {@link #NONE} if no whole one is available now. */
  long takeChunk() {
    if (cleanCount == 0) {
      clean(PAGES);
    }
    if (cleanCount == 0) {
      return NONE;
    }
    freeBytes -= CHUNK_BYTES;
    return clean[--cleanCount];
  }

  /**
   * Returns the number of a page; {@link #NONE} if none is available now.
   *
   * @param wanted this page if it is free, so that pages are adjacent
   */
  long takePage(long wanted) {
    if (wanted % PAGES > 0 && (cleanPages[(int) (wanted / PAGES)] >> wanted % PAGES & 1) != 0) {
      return take(wanted);
    }
    int chunk = divided.nextSetBit(dividedFrom);
    if (chunk < 0 && cleanCount == 0) {
      clean(1);
      chunk = divided.nextSetBit(dividedFrom);
    }
    if (chunk < 0 && cleanCount > 0) {
      chunk = clean[--cleanCount];
      cleanPages[chunk] = ALL;
      divided.set(chunk);
    }
    if (chunk < 0) {
      return NONE;
    }
    dividedFrom = chunk;
    return take((long) chunk * PAGES + Integer.numberOfTrailingZeros(cleanPages[chunk]));
  }

  private long take(long page) {
    int chunk = (int) (page / PAGES);
    cleanPages[chunk] &= (char) ~(1 << page % PAGES);
    if (cleanPages[chunk] == 0) {
      divided.clear(chunk);
    }
    freeBytes -= PAGE_BYTES;
    return page;
  }

  void giveUpChunk(long chunk) {
    giveUp(chunk, CHUNK_BYTES);
  }

  void giveUpPage(long page) {
    giveUp(~page, PAGE_BYTES);
  }

  private void giveUp(long what, int bytes) {
    dirty.addLong(what);
    dirtySince.addLong(transfersBegun);
    freeBytes += bytes;
  }

  /** Cleans freed memory, at most so many chunks or pages; returns whether there is more to clean. */
  boolean clean(int max) {
    for (int i = 0; i < max && isReusable(); i++) {
      long what = dirty.pollLong();
      dirtySince.pollLong();
      if (what < 0) {
        cleanPage(~what);
      } else {
        memory.asSlice(what * CHUNK_BYTES, CHUNK_BYTES).fill((byte) 0);
        clean[cleanCount++] = (int) what;
      }
    }
    return isReusable();
  }

  private void cleanPage(long page) {
    memory.asSlice(page * PAGE_BYTES, PAGE_BYTES).fill((byte) 0);
    int chunk = (int) (page / PAGES);
    cleanPages[chunk] |= (char) (1 << page % PAGES);
    if (cleanPages[chunk] == ALL) {
      cleanPages[chunk] = 0;
      divided.clear(chunk);
      clean[cleanCount++] = chunk;
    } else {
      divided.set(chunk);
      dividedFrom = Math.min(dividedFrom, chunk);
    }
  }

  private boolean isReusable() {
    return !dirty.isEmpty() && dirtySince.peekLong() <= transfersOver;
  }
}
