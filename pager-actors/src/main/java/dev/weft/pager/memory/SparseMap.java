package dev.weft.pager.memory;

import dev.weft.fabric.time.Marks;
import dev.weft.pager.PagerMark;

/**
 * Tracks which blocks of an area hold data and which are holes. A hole reads as zeros, but its memory is zeroed only at the next
 * access: until then the block is <i>stale</i>. Invariants: a stale block is not allocated; a hole that is not
 * stale is zero in memory. Decision logic; it accesses the memory only through {@link Zeroer}. Not thread safe.
 */
public final class SparseMap {
  public static final int BLOCK_BYTES = 4096;

  /** Writes zeros to the memory of the area. */
  @FunctionalInterface
  public interface Zeroer {
    void zero(long offset, long lengthBytes);
  }

  private final long sizeBytes;
  private final int blocks;
  private final long[] allocated;
  private final long[] stale;
  private final Zeroer zeroer;
  private int allocatedBlocks;

  /**
   * Creates a map in which all blocks are holes.
   *
   * @param dirty whether the memory may contain bytes other than zero
   */
  public SparseMap(long sizeBytes, boolean dirty, Zeroer zeroer) {
    if (sizeBytes < 1 || sizeBytes > (long) BLOCK_BYTES * (Integer.MAX_VALUE - 64)) {
      throw new IllegalArgumentException("size is " + sizeBytes + ", must be 1 to 8 TiB");
    }
    this.sizeBytes = sizeBytes;
    this.blocks = (int) ((sizeBytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    this.allocated = new long[(blocks + 63) / 64];
    this.stale = new long[(blocks + 63) / 64];
    this.zeroer = zeroer;
    if (dirty) {
      java.util.Arrays.fill(stale, -1L);
    }
  }

  private void check(long offset, long length) {
    java.util.Objects.checkFromIndexSize(offset, length, sizeBytes);
  }

  private static boolean get(long[] bits, int block) {
    return (bits[block >> 6] & 1L << block) != 0;
  }

  private static void set(long[] bits, int block) {
    bits[block >> 6] |= 1L << block;
  }

  private static void clear(long[] bits, int block) {
    bits[block >> 6] &= ~(1L << block);
  }

  private static int first(long offset) {
    return (int) (offset / BLOCK_BYTES);
  }

  private static int last(long offset, long length) {
    return (int) ((offset + length - 1) / BLOCK_BYTES);
  }

  private void clean(int block) {
    if (get(stale, block)) {
      Marks.hit(PagerMark.BLOCK_ZEROED_LATE);
      long start = (long) block * BLOCK_BYTES;
      zeroer.zero(start, Math.min(BLOCK_BYTES, sizeBytes - start));
      clear(stale, block);
    }
  }

  private void allocate(int block) {
    clean(block);
    if (!get(allocated, block)) {
      set(allocated, block);
      allocatedBlocks++;
    }
  }

  /** Prepares the range for a read: zeroes its stale blocks. */
  public void prepareRead(long offset, long length) {
    check(offset, length);
    for (int block = first(offset); length > 0 && block <= last(offset, length); block++) {
      clean(block);
    }
  }

  /** Prepares the range for new data; call it before the data is placed. Its blocks become allocated, and the other bytes of stale blocks become zero. */
  public void prepareWrite(long offset, long length) {
    check(offset, length);
    for (int block = first(offset); length > 0 && block <= last(offset, length); block++) {
      allocate(block);
    }
  }

  /**
   * Makes the range read as zeros; blocks that are completely inside it become holes. For data in flight to such a block, call {@link #prepareWrite}
   * again.
   */
  public void trim(long offset, long length) {
    check(offset, length);
    long end = offset + length;
    int from = (int) ((offset + BLOCK_BYTES - 1) / BLOCK_BYTES);
    int to = end == sizeBytes ? blocks : (int) (end / BLOCK_BYTES);
    if (from >= to) {
      zeroPart(offset, length);
      return;
    }
    zeroPart(offset, (long) from * BLOCK_BYTES - offset);
    punch(from, to);
    long tail = (long) to * BLOCK_BYTES;
    if (tail < end) {
      zeroPart(tail, end - tail);
    }
  }

  /** Zeroes parts of at most two blocks at once; holes need no zeroing. */
  private void zeroPart(long offset, long length) {
    long at = offset;
    while (at < offset + length) {
      int block = first(at);
      long end = Math.min(offset + length, (long) (block + 1) * BLOCK_BYTES);
      if (get(allocated, block)) {
        zeroer.zero(at, end - at);
      }
      at = end;
    }
  }

  private void punch(int from, int to) {
    for (int word = from >> 6; word <= to - 1 >> 6; word++) {
      long mask = -1L;
      if (word == from >> 6) {
        mask &= -1L << from;
      }
      if (word == to - 1 >> 6) {
        mask &= -1L >>> 63 - (to - 1 & 63);
      }
      long freed = allocated[word] & mask;
      allocatedBlocks -= Long.bitCount(freed);
      stale[word] |= freed;
      allocated[word] &= ~mask;
    }
  }

  /** Fills the range with zeros and allocates its blocks. */
  public void zeroAndAllocate(long offset, long length) {
    prepareWrite(offset, length);
    if (length > 0) {
      zeroer.zero(offset, length);
    }
  }

  /**
   * Returns the length of the run that starts at {@code offset}, at most {@code lengthMax}: positive if it is allocated, negative if
   * it is a hole.
   */
  public long runAt(long offset, long lengthMax) {
    check(offset, lengthMax);
    if (lengthMax == 0) {
      throw new IllegalArgumentException("an empty range has no runs");
    }
    int block = first(offset);
    boolean kind = get(allocated, block);
    int end = last(offset, lengthMax) + 1;
    int next = block + 1;
    while (next < end) {
      if ((next & 63) == 0 && next + 64 <= end && allocated[next >> 6] == (kind ? -1L : 0L)) {
        next += 64;
      } else if (get(allocated, next) == kind) {
        next++;
      } else {
        break;
      }
    }
    long run = Math.min(offset + lengthMax, (long) next * BLOCK_BYTES) - offset;
    return kind ? run : -run;
  }

  public int allocatedBlocks() {
    return allocatedBlocks;
  }

  public long sizeBytes() {
    return sizeBytes;
  }
}
