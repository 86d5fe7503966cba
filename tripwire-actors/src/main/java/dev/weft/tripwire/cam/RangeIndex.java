package dev.weft.tripwire.cam;

import java.util.Arrays;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Finds the ranges that an access touches. Exact to the byte, and as fast with 65,536 ranges as with one.
 *
 * <p>Structure: a range is cut into whole pages and at most two pieces of pages. A piece is kept in each 64-byte line that it touches, as a mask of
 * the line's bytes. Whole pages are kept as at most two aligned blocks of 2^n pages for each n, so that a range of a gigabyte takes forty entries,
 * not 262,144. An access looks up its pages, in them only the lines in use, and one block per page and size of block in use. In a line that the
 * access covers only in part, byte masks are compared.
 *
 * <p>Cost of a match: pages of the access x sizes of blocks in use, + touched lines with pieces, + ranges on the first and last line, + matches. Cost
 * of adding: at most 128 lines + 2 blocks for each size. Bound: ids below {@code capacity}.
 */
public final class RangeIndex {
  static final int PAGE_SHIFT = 12;
  static final int PAGE = 1 << PAGE_SHIFT;
  private static final int LINE_SHIFT = 6;
  private static final int LINE = 1 << LINE_SHIFT;
  /** Addresses are below this. */
  public static final long ADDRESS_LIMIT = 1L << 62;
  private static final int BLOCK_KEY_SHIFT = 51;

  /** Ranges on one line, or ranges that cover one block; in no order. */
  private static final class Entries {
    private int count;
    private int[] ids = new int[2];
    private long[] masks;

    Entries(boolean masked) {
      masks = masked ? new long[2] : null;
    }

    void add(int id, long mask) {
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, 2 * count);
        masks = masks == null ? null : Arrays.copyOf(masks, 2 * count);
      }
      ids[count] = id;
      if (masks != null) {
        masks[count] = mask;
      }
      count++;
    }

    void remove(int id) {
      for (int i = 0; i < count; i++) {
        if (ids[i] == id) {
          count--;
          ids[i] = ids[count];
          if (masks != null) {
            masks[i] = masks[count];
          }
          return;
        }
      }
      throw new IllegalStateException("range " + id + " is not where it was put");
    }
  }

  private static final class Page {
    /** A bit for each line with entries. */
    private long used;
    private final Entries[] lines = new Entries[PAGE / LINE];
  }

  private final Long2ObjectHashMap<Page> pages = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<Entries> blocks = new Long2ObjectHashMap<>();
  /** Number of blocks in use of each size, and a bit for each size in use. */
  private final int[] blockCounts = new int[Long.SIZE - PAGE_SHIFT];
  private long blockSizes;
  private final long[] starts;
  private final long[] ends;
  /** The last match that found a range, so that it is found only once. */
  private final long[] found;
  private long match;
  private int[] matched = new int[16];
  private int matchedCount;

  /** An index for ids from 0 to {@code capacity} - 1. */
  public RangeIndex(int capacity) {
    starts = new long[capacity];
    ends = new long[capacity];
    found = new long[capacity];
  }

  /** Adds the bytes from {@code start} to before {@code end} under an unused id. */
  public void add(int id, long start, long end) {
    if (start < 0 || end <= start || end > ADDRESS_LIMIT) {
      throw new IllegalArgumentException("range from " + start + " to " + end + ", want 0 <= start < end <= " + ADDRESS_LIMIT);
    }
    if (ends[id] != 0) {
      throw new IllegalStateException("range " + id + " is in use");
    }
    starts[id] = start;
    ends[id] = end;
    change(id, true);
  }

  /** Removes a range; its id is free again. */
  public void remove(int id) {
    if (ends[id] == 0) {
      throw new IllegalStateException("range " + id + " is not in use");
    }
    change(id, false);
    ends[id] = 0;
  }

  public boolean contains(int id) {
    return ends[id] != 0;
  }

  long start(int id) {
    return starts[id];
  }

  long end(int id) {
    return ends[id];
  }

  private void change(int id, boolean add) {
    long at = starts[id];
    long end = ends[id];
    while (at < end) {
      long page = at >>> PAGE_SHIFT;
      boolean onPage = (at & PAGE - 1) == 0;
      long whole = onPage ? (end >>> PAGE_SHIFT) - page : 0;
      if (whole > 0) {
        int size = Math.min(Long.numberOfTrailingZeros(page), Long.SIZE - 1 - Long.numberOfLeadingZeros(whole));
        changeBlock(size, page >>> size, id, add);
        at += (long) PAGE << size;
      } else {
        long to = Math.min(end, page + 1 << PAGE_SHIFT);
        changePiece(page, (int) at & PAGE - 1, (int) (to - (page << PAGE_SHIFT)), id, add);
        at = to;
      }
    }
  }

  private void changeBlock(int size, long block, int id, boolean add) {
    long key = blockKey(size, block);
    Entries entries = blocks.get(key);
    if (add) {
      if (entries == null) {
        entries = new Entries(false);
        blocks.put(key, entries);
        blockCounts[size]++;
        blockSizes |= 1L << size;
      }
      entries.add(id, 0);
      return;
    }
    entries.remove(id);
    if (entries.count == 0) {
      blocks.remove(key);
      if (--blockCounts[size] == 0) {
        blockSizes &= ~(1L << size);
      }
    }
  }

  private static long blockKey(int size, long block) {
    return (long) size << BLOCK_KEY_SHIFT | block;
  }

  private void changePiece(long number, int from, int to, int id, boolean add) {
    Page page = pages.get(number);
    if (page == null) {
      page = new Page();
      pages.put(number, page);
    }
    for (int line = from >>> LINE_SHIFT; line <= to - 1 >>> LINE_SHIFT; line++) {
      if (add) {
        if (page.lines[line] == null) {
          page.lines[line] = new Entries(true);
          page.used |= 1L << line;
        }
        page.lines[line].add(id, bytes(line, from, to));
      } else {
        page.lines[line].remove(id);
        if (page.lines[line].count == 0) {
          page.lines[line] = null;
          page.used &= ~(1L << line);
        }
      }
    }
    if (page.used == 0) {
      pages.remove(number);
    }
  }

  /** A bit for each byte of a line that lies between two offsets in its page. */
  private static long bytes(int line, int from, int to) {
    int first = Math.max(0, from - (line << LINE_SHIFT));
    int last = Math.min(LINE, to - (line << LINE_SHIFT));
    return -1L >>> LINE - (last - first) << first;
  }

  /**
   * Finds the ranges that have a byte from {@code start} to before {@code end}.
   *
   * @return their number; {@link #matched} returns them until the next match
   */
  public int match(long start, long end) {
    matchedCount = 0;
    match++;
    long firstPage = start >>> PAGE_SHIFT;
    long lastPage = end - 1 >>> PAGE_SHIFT;
    if (!pages.isEmpty()) {
      for (long number = firstPage; number <= lastPage; number++) {
        Page page = pages.get(number);
        if (page != null) {
          long base = number << PAGE_SHIFT;
          matchPieces(page, (int) Math.max(0, start - base), (int) Math.min(PAGE, end - base));
        }
      }
    }
    for (long sizes = blockSizes; sizes != 0; sizes &= sizes - 1) {
      int size = Long.numberOfTrailingZeros(sizes);
      for (long block = firstPage >>> size; block <= lastPage >>> size; block++) {
        Entries entries = blocks.get(blockKey(size, block));
        for (int i = 0; entries != null && i < entries.count; i++) {
          note(entries.ids[i]);
        }
      }
    }
    if (matchedCount > 1) {
      Arrays.sort(matched, 0, matchedCount); // So that the order does not depend on the ranges' places in memory.
    }
    return matchedCount;
  }

  private void matchPieces(Page page, int from, int to) {
    int first = from >>> LINE_SHIFT;
    int last = to - 1 >>> LINE_SHIFT;
    long touched = -1L >>> LINE - 1 - (last - first) << first;
    for (long lines = page.used & touched; lines != 0; lines &= lines - 1) {
      int line = Long.numberOfTrailingZeros(lines);
      long mask = bytes(line, from, to);
      Entries entries = page.lines[line];
      for (int i = 0; i < entries.count; i++) {
        if ((entries.masks[i] & mask) != 0) {
          note(entries.ids[i]);
        }
      }
    }
  }

  private void note(int id) {
    if (found[id] == match) {
      return;
    }
    found[id] = match;
    if (matchedCount == matched.length) {
      matched = Arrays.copyOf(matched, 2 * matchedCount);
    }
    matched[matchedCount++] = id;
  }

  /** The id of one of the ranges that {@link #match} found, ascending, counted from 0. */
  public int matched(int i) {
    return matched[i];
  }
}
