package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.zip.CRC32C;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/**
 * Local objects in memory: each has chunks of one piece of memory, and holes where it has none, however far it reaches. Free chunks are zeros, so that
 * nobody reads what was another file's: those that were given up are cleaned by {@link #clean}, in slices, or when no clean one is left. A chunk that RDMA
 * may still be moving is not used again: who moves says from which transfers on they are ({@link #mayReuse}).
 */
final class StripeMemory {
  /** Of a chunk. */
  static final int CHUNK_BYTES = Sums.BLOCK_BYTES;
  static final long HOLE = -1;
  static final int SUM_OF_ZEROS = Sums.of(new CRC32C(), MemorySegment.NULL);

  private static final class Chunks {
    final Long2LongHashMap chunks = new Long2LongHashMap(HOLE);
    long bytes;
  }

  private final MemorySegment memory;
  private final Long2ObjectHashMap<Chunks> objects = new Long2ObjectHashMap<>();
  private final LongArrayList indexes = new LongArrayList();
  private final int[] clean;
  private int cleanCount;
  /** Given up, in that order, from {@link #dirtyFirst} on, round. */
  private final int[] dirty;
  /** Transfers that had begun when it was given up. */
  private final long[] dirtySince;
  private int dirtyFirst;
  private int dirtyCount;
  private long transfersBegun;
  private long transfersOver;
  /** CRC32C of what lies in chunks, where it is known. */
  private final int[] sums;
  private final BitSet known = new BitSet();
  private final CRC32C crc = new CRC32C();

  /** What came of {@link #fill}. */
  enum Room {
    MADE,
    /** When transfers end there is more. */
    LATER,
    NONE
  }

  /** On memory that is zeros, a whole number of chunks. */
  StripeMemory(MemorySegment memory) {
    if (memory.byteSize() < CHUNK_BYTES || memory.byteSize() % CHUNK_BYTES != 0 || memory.byteSize() / CHUNK_BYTES > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException("memory of " + memory.byteSize() + " bytes for stripes, must be a multiple of " + CHUNK_BYTES);
    }
    this.memory = memory;
    int count = (int) (memory.byteSize() / CHUNK_BYTES);
    clean = new int[count];
    dirty = new int[count];
    dirtySince = new long[count];
    sums = new int[count];
    for (int chunk = count; chunk-- > 0;) {
      clean[cleanCount++] = chunk;
    }
  }

  MemorySegment memory() {
    return memory;
  }

  long freeBytes() {
    return (long) (cleanCount + dirtyCount) * CHUNK_BYTES;
  }

  long totalBytes() {
    return memory.byteSize();
  }

  int objects() {
    return objects.size();
  }

  /** Takes the number and the length of an object. */
  interface Visitor {
    void visit(long object, long bytes);
  }

  /** Shows those with greater numbers, in no order. */
  void forEach(Visitor visitor, long after) {
    objects.forEachLong((object, chunks) -> {
      if (object > after) {
        visitor.visit(object, chunks.bytes);
      }
    });
  }

  /** Length of an object; 0 if there is none. */
  long bytes(long object) {
    Chunks of = objects.get(object);
    return of == null ? 0 : of.bytes;
  }

  /** Where in the memory the byte lies; {@link #HOLE} where nothing was written. The rest of its chunk follows. */
  long find(long object, long local) {
    Chunks of = objects.get(object);
    long chunk = of == null ? HOLE : of.chunks.get(local / CHUNK_BYTES);
    return chunk == HOLE ? HOLE : chunk * CHUNK_BYTES + local % CHUNK_BYTES;
  }

  /**
   * CRC32C of a chunk. One that is remembered is told without a look at the chunk, until it is changed by {@link #fill}, which comes before each write, or by
   * {@link #punch}: so reads of whole chunks cost the daemon nothing, and who reads one finds out if this memory does not hold what it should. After the
   * next change, of any byte, it is made anew of what lies there.
   *
   * @param at where it lies in the memory
   * @param isStill whether nobody changes it meanwhile, so that it can be remembered
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

  /** Bytes from there to the end of its chunk. */
  static long restOfChunk(long local) {
    return CHUNK_BYTES - local % CHUNK_BYTES;
  }

  /**
   * Transfers are numbered as they begin.
   *
   * @param begun so far
   * @param over all up to this number
   */
  void mayReuse(long begun, long over) {
    transfersBegun = begun;
    transfersOver = over;
  }

  /** Before a write: makes holes of its range into memory; where there is too little some may have been made. */
  Room fill(long object, long local, long length) {
    Chunks of = objects.computeIfAbsent(object, _ -> new Chunks());
    for (long index = local / CHUNK_BYTES; length > 0 && index <= (local + length - 1) / CHUNK_BYTES; index++) {
      if (of.chunks.get(index) == HOLE) {
        if (cleanCount == 0) {
          clean(1);
        }
        if (cleanCount == 0) {
          return dirtyCount > 0 ? Room.LATER : Room.NONE;
        }
        of.chunks.put(index, clean[--cleanCount]);
      }
      known.clear((int) of.chunks.get(index));
    }
    return Room.MADE;
  }

  /** Cleans chunks that were given up, so many at most; whether there are more that can be. */
  boolean clean(int max) {
    for (int i = 0; i < max && isReusable(); i++) {
      int chunk = dirty[dirtyFirst];
      dirtyFirst = dirtyFirst + 1 == dirty.length ? 0 : dirtyFirst + 1;
      dirtyCount--;
      memory.asSlice((long) chunk * CHUNK_BYTES, CHUNK_BYTES).fill((byte) 0);
      clean[cleanCount++] = chunk;
    }
    return isReusable();
  }

  private boolean isReusable() {
    return dirtyCount > 0 && dirtySince[dirtyFirst] <= transfersOver;
  }

  /** The object is at least so long. */
  void extend(long object, long bytes) {
    Chunks of = objects.computeIfAbsent(object, _ -> new Chunks());
    of.bytes = Math.max(of.bytes, bytes);
  }

  /** Cuts or extends it. What was written beyond the length, by writes that failed, is gone in any case. */
  void truncate(long object, long bytes) {
    Chunks of = objects.computeIfAbsent(object, _ -> new Chunks());
    punch(object, Math.min(bytes, of.bytes), Long.MAX_VALUE);
    of.bytes = bytes;
  }

  /** Makes the bytes from {@code local} to before {@code end} zeros: whole chunks become holes. */
  void punch(long object, long local, long end) {
    Chunks of = objects.get(object);
    if (of == null || local >= end) {
      return;
    }
    indexes.clear();
    Long2LongHashMap.KeyIterator keys = of.chunks.keySet().iterator();
    while (keys.hasNext()) {
      long index = keys.nextValue();
      if (index >= local / CHUNK_BYTES && index <= (end - 1) / CHUNK_BYTES) {
        indexes.addLong(index);
      }
    }
    for (int i = 0; i < indexes.size(); i++) {
      punchChunk(of, indexes.getLong(i), local, end);
    }
  }

  private void punchChunk(Chunks of, long index, long local, long end) {
    long start = index * CHUNK_BYTES;
    long from = Math.max(local, start);
    long to = end - start > CHUNK_BYTES ? start + CHUNK_BYTES : end;
    if (to - from == CHUNK_BYTES) {
      giveUp(of.chunks.remove(index));
    } else {
      long chunk = of.chunks.get(index);
      known.clear((int) chunk);
      memory.asSlice(chunk * CHUNK_BYTES + from - start, to - from).fill((byte) 0);
    }
  }

  private void giveUp(long chunk) {
    int last = (dirtyFirst + dirtyCount++) % dirty.length;
    dirty[last] = (int) chunk;
    dirtySince[last] = transfersBegun;
  }

  /** False if there was none. */
  boolean remove(long object) {
    Chunks of = objects.remove(object);
    if (of != null) {
      of.chunks.forEachLong((index, chunk) -> giveUp(chunk));
    }
    return of != null;
  }
}
