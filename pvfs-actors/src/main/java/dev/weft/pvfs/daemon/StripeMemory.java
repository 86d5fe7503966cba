package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.zip.CRC32C;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/**
 * Local objects in memory. Each consists of chunks of one piece of memory, and holes. The first chunk of an object grows by pages, unless a write
 * covers all of it, so small files take little memory. If no whole chunk is free, other chunks consist of pages, too. A growing object is never
 * moved. Free memory is zeroed, so no client reads data of another file. Memory that RDMA may still access is not reused: {@link #allowReuse} tells
 * which transfers have ended.
 */
final class StripeMemory {
  /** Size of a chunk. */
  static final int CHUNK_BYTES = StripePool.CHUNK_BYTES;
  static final int PAGE_BYTES = StripePool.PAGE_BYTES;
  static final long HOLE = StripePool.NONE;
  static final int SUM_OF_ZEROS = Sums.of(new CRC32C(), MemorySegment.NULL);

  private static final class Chunks {
    final Long2LongHashMap chunks = new Long2LongHashMap(HOLE);
    /** Pages of the chunks that are not in {@link #chunks}; null if there are none. */
    Long2ObjectHashMap<long[]> paged;
    long bytes;

    long[] pages(long index) {
      return paged == null ? null : paged.get(index);
    }

    long[] makePages(long index) {
      if (paged == null) {
        paged = new Long2ObjectHashMap<>();
      }
      return paged.computeIfAbsent(index, _ -> {
        long[] holes = new long[StripePool.PAGES];
        Arrays.fill(holes, HOLE);
        return holes;
      });
    }
  }

  private final MemorySegment memory;
  private final Long2ObjectHashMap<Chunks> objects = new Long2ObjectHashMap<>();
  private final LongArrayList indexes = new LongArrayList();
  private final StripePool pool;
  /** CRC32C of chunks, where known. */
  private final int[] sums;
  private final BitSet known = new BitSet();
  private final CRC32C crc = new CRC32C();

  /** Result of {@link #fill}. */
  enum Room {
    MADE,
    /** There will be more memory when transfers end. */
    LATER,
    NONE
  }

  /** Uses zeroed memory of a whole number of chunks. */
  StripeMemory(MemorySegment memory) {
    if (memory.byteSize() < CHUNK_BYTES || memory.byteSize() % CHUNK_BYTES != 0 || memory.byteSize() / CHUNK_BYTES > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException("memory of " + memory.byteSize() + " bytes for stripes, must be a multiple of " + CHUNK_BYTES);
    }
    this.memory = memory;
    pool = new StripePool(memory);
    sums = new int[(int) (memory.byteSize() / CHUNK_BYTES)];
  }

  MemorySegment memory() {
    return memory;
  }

  long freeBytes() {
    return pool.freeBytes();
  }

  long totalBytes() {
    return memory.byteSize();
  }

  int objects() {
    return objects.size();
  }

  /** Receives the number and the length of an object. */
  interface Visitor {
    void visit(long object, long bytes);
  }

  /** Visits objects with greater numbers, in no order. */
  void forEach(Visitor visitor, long after) {
    objects.forEachLong((object, chunks) -> {
      if (object > after) {
        visitor.visit(object, chunks.bytes);
      }
    });
  }

  /** Returns the length of an object; 0 if there is none. */
  long bytes(long object) {
    Chunks of = objects.get(object);
    return of == null ? 0 : of.bytes;
  }

  /** Returns the offset in memory of a byte; {@link #HOLE} in a hole. {@link #restOfPiece} tells how many bytes follow. */
  long find(long object, long local) {
    Chunks of = objects.get(object);
    if (of == null) {
      return HOLE;
    }
    long chunk = of.chunks.get(local / CHUNK_BYTES);
    if (chunk != HOLE) {
      return chunk * CHUNK_BYTES + local % CHUNK_BYTES;
    }
    long[] pages = of.pages(local / CHUNK_BYTES);
    long page = pages == null ? HOLE : pages[pageIn(local)];
    return page == HOLE ? HOLE : page * PAGE_BYTES + local % PAGE_BYTES;
  }

  private static int pageIn(long local) {
    return (int) (local % CHUNK_BYTES / PAGE_BYTES);
  }

  /** Returns how many bytes from there on are surely adjacent, or a hole: to the end of the chunk, or of the page in a chunk of pages. */
  long restOfPiece(long object, long local) {
    Chunks of = objects.get(object);
    int piece = of == null || of.pages(local / CHUNK_BYTES) == null ? CHUNK_BYTES : PAGE_BYTES;
    return piece - local % piece;
  }

  /**
   * Returns the CRC32C of a whole chunk. It is remembered until {@link #fill}, which comes before each write, or {@link #punch} changes the chunk. So
   * reads of whole chunks cost the daemon no summing, and their readers detect damage of this memory. After a change of any byte, the sum is computed
   * again from the memory.
   *
   * @param at offset of the chunk in the memory
   * @param isStill whether nothing changes it meanwhile, so that the sum may be remembered
   */
  int sum(long at, boolean isStill) {
    int chunk = (int) (at / CHUNK_BYTES);
    if (known.get(chunk)) {
      return sums[chunk];
    }
    int sum = Sums.of(crc, memory.asSlice(at, CHUNK_BYTES));
    if (isStill) {
      sums[chunk] = sum;
      known.set(chunk);
    }
    return sum;
  }

  /**
   * Tells which transfers may still access memory. Transfers are numbered in the order of their begin.
   *
   * @param begun transfers begun so far
   * @param over all transfers up to this number have ended
   */
  void allowReuse(long begun, long over) {
    pool.allowReuse(begun, over);
  }

  /** Call before a write: gives the holes of its range memory. If there is too little, some may have got it. */
  Room fill(long object, long local, long length) {
    Chunks of = objects.computeIfAbsent(object, _ -> new Chunks());
    for (long at = local; at < local + length; at += CHUNK_BYTES - at % CHUNK_BYTES) {
      if (!fillChunk(of, at, Math.min(local + length, at - at % CHUNK_BYTES + CHUNK_BYTES))) {
        return pool.hasDirty() ? Room.LATER : Room.NONE;
      }
    }
    return Room.MADE;
  }

  /** Gives memory to bytes of one chunk. */
  private boolean fillChunk(Chunks of, long from, long end) {
    long index = from / CHUNK_BYTES;
    long chunk = of.chunks.get(index);
    boolean takesPages = of.pages(index) != null || index == 0 && end - from < CHUNK_BYTES;
    if (chunk == HOLE && !takesPages) {
      chunk = pool.takeChunk();
      if (chunk != HOLE) {
        of.chunks.put(index, chunk);
      }
    }
    if (chunk == HOLE) {
      return fillPages(of.makePages(index), pageIn(from), pageIn(end - 1));
    }
    known.clear((int) chunk);
    return true;
  }

  private boolean fillPages(long[] pages, int first, int last) {
    for (int i = first; i <= last; i++) {
      if (pages[i] == HOLE) {
        pages[i] = pool.takePage(i == 0 || pages[i - 1] == HOLE ? HOLE : pages[i - 1] + 1);
        if (pages[i] == HOLE) {
          return false;
        }
      }
    }
    return true;
  }

  /** Zeroes freed memory, at most so many chunks or pages; returns whether there is more to clean. */
  boolean clean(int max) {
    return pool.clean(max);
  }

  /** Makes the object at least so long. */
  void extend(long object, long bytes) {
    Chunks of = objects.computeIfAbsent(object, _ -> new Chunks());
    of.bytes = Math.max(of.bytes, bytes);
  }

  /** Cuts or extends the object. Remains of failed writes beyond the length are dropped in any case. */
  void truncate(long object, long bytes) {
    Chunks of = objects.computeIfAbsent(object, _ -> new Chunks());
    punch(object, Math.min(bytes, of.bytes), Long.MAX_VALUE);
    of.bytes = bytes;
  }

  /** Sets the bytes from {@code local} to before {@code end} to zeros; whole chunks become holes. */
  void punch(long object, long local, long end) {
    Chunks of = objects.get(object);
    if (of == null || local >= end) {
      return;
    }
    indexes.clear();
    Long2LongHashMap.KeyIterator whole = of.chunks.keySet().iterator();
    while (whole.hasNext()) {
      addWithin(whole.nextValue(), local, end);
    }
    int wholes = indexes.size();
    if (of.paged != null) {
      Long2ObjectHashMap<long[]>.KeyIterator paged = of.paged.keySet().iterator();
      while (paged.hasNext()) {
        addWithin(paged.nextLong(), local, end);
      }
    }
    for (int i = 0; i < indexes.size(); i++) {
      long start = indexes.getLong(i) * CHUNK_BYTES;
      int from = (int) (Math.max(local, start) - start);
      int to = (int) Math.min(end - start, CHUNK_BYTES);
      if (i < wholes) {
        punchChunk(of, indexes.getLong(i), from, to);
      } else {
        punchPages(of, indexes.getLong(i), from, to);
      }
    }
  }

  private void addWithin(long index, long local, long end) {
    if (index >= local / CHUNK_BYTES && index <= (end - 1) / CHUNK_BYTES) {
      indexes.addLong(index);
    }
  }

  private void punchChunk(Chunks of, long index, int from, int to) {
    if (to - from == CHUNK_BYTES) {
      pool.giveUpChunk(of.chunks.remove(index));
    } else {
      long chunk = of.chunks.get(index);
      known.clear((int) chunk);
      memory.asSlice(chunk * CHUNK_BYTES + from, to - from).fill((byte) 0);
    }
  }

  private void punchPages(Chunks of, long index, int from, int to) {
    long[] pages = of.pages(index);
    boolean isHole = true;
    for (int i = 0; i < pages.length; i++) {
      int begin = Math.max(from - i * PAGE_BYTES, 0);
      int stop = Math.min(to - i * PAGE_BYTES, PAGE_BYTES);
      if (pages[i] != HOLE && stop - begin == PAGE_BYTES) {
        pool.giveUpPage(pages[i]);
        pages[i] = HOLE;
      } else if (pages[i] != HOLE && begin < stop) {
        memory.asSlice(pages[i] * PAGE_BYTES + begin, stop - begin).fill((byte) 0);
      }
      isHole &= pages[i] == HOLE;
    }
    if (isHole) {
      of.paged.remove(index);
    }
  }

  /** Returns false if there was none. */
  boolean remove(long object) {
    Chunks of = objects.remove(object);
    if (of == null) {
      return false;
    }
    of.chunks.forEachLong((_, chunk) -> pool.giveUpChunk(chunk));
    if (of.paged != null) {
      of.paged.forEachLong((_, pages) -> {
        for (long page : pages) {
          if (page != HOLE) {
            pool.giveUpPage(page);
          }
        }
      });
    }
    return true;
  }
}
