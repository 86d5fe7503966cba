package dev.weft.pvfs.mdbi;

import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.Regions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/** Memory for adjacent blocks with the overlap around them. One thread. */
final class CachedBlocks {
  private final PvfsFile file;
  private final BlockShape shape;
  /** Blocks in each dimension, as far as the array has them. */
  private final long[] count;
  private final MemorySegment memory;
  /** The first block in memory; null if none is. */
  private long[] first;
  private final BitSet dirty = new BitSet();

  CachedBlocks(PvfsFile file, BlockShape shape, long[] count, MemorySegment memory) {
    this.file = file;
    this.shape = shape;
    this.count = count;
    this.memory = memory;
  }

  private long[] sizes() {
    return shape.withOverlap(count);
  }

  /** Fills the memory from a block on; records beyond an edge of the array are zeros. */
  void load(long[] from) throws PvfsException {
    int dimensions = from.length;
    long[] array = shape.array();
    long[] sizes = sizes();
    long[] starts = new long[dimensions];
    long[] ends = new long[dimensions];
    long[] inMemory = new long[dimensions];
    boolean isClipped = false;
    for (int i = 0; i < dimensions; i++) {
      long start = from[i] * shape.elements()[i] - shape.overlap()[i];
      starts[i] = Math.max(0, start);
      ends[i] = Math.min(array[i], start + sizes[i]);
      inMemory[i] = starts[i] - start;
      isClipped |= ends[i] - starts[i] < sizes[i];
    }
    if (isClipped) {
      memory.fill((byte) 0);
    }
    long[] part = new long[dimensions];
    Arrays.setAll(part, i -> ends[i] - starts[i]);
    file.view(0, shape.part(array, part, starts)).read(memory, shape.part(sizes, part, inMemory), 1, 0);
  }

  /** Writes one of the blocks in memory; {@code from} is the first of them. */
  void store(long[] from, long[] block) throws PvfsException {
    long[] starts = new long[block.length];
    Arrays.setAll(starts, i -> block[i] * shape.elements()[i]);
    file.view(0, shape.part(shape.array(), shape.elements(), starts)).write(memory, inMemory(from, block, shape.overlap(), shape.elements()), 1, 0);
  }

  /** Returns the place of a block in memory, from {@code skip} records behind the beginning of its overlap on. */
  private Datatype inMemory(long[] from, long[] block, long[] skip, long[] part) {
    long[] starts = new long[block.length];
    Arrays.setAll(starts, i -> (block[i] - from[i]) * shape.elements()[i] + skip[i]);
    return shape.part(sizes(), part, starts);
  }

  private void use(long[] block) throws PvfsException {
    long[] wanted = new long[block.length];
    Arrays.setAll(wanted, i -> block[i] / count[i] * count[i]);
    if (!Arrays.equals(wanted, first)) {
      flush();
      first = null; // Until the memory is filled completely.
      load(wanted);
      first = wanted;
    }
  }

  private long[] ones() {
    long[] ones = new long[count.length];
    Arrays.fill(ones, 1);
    return ones;
  }

  void read(MemorySegment to, long[] block) throws PvfsException {
    use(block);
    long[] whole = shape.withOverlap(ones());
    copy(memory, inMemory(first, block, new long[block.length], whole), to, shape.part(whole, whole, new long[block.length]));
  }

  void write(MemorySegment from, long[] block) throws PvfsException {
    use(block);
    long[] whole = shape.withOverlap(ones());
    copy(from, shape.part(whole, shape.elements(), shape.overlap()), memory, inMemory(first, block, shape.overlap(), shape.elements()));
    dirty.set((int) number(block));
  }

  /** Returns the number of a block among those in memory; the memory is bounded, so an int holds it. */
  private long number(long[] block) {
    long number = 0;
    for (int i = 0; i < block.length; i++) {
      number = number * count[i] + block[i] - first[i];
    }
    return number;
  }

  private long[] block(long number) {
    long[] block = new long[count.length];
    long left = number;
    for (int i = count.length - 1; i >= 0; i--) {
      block[i] = first[i] + left % count[i];
      left /= count[i];
    }
    return block;
  }

  void flush() throws PvfsException {
    for (int each = dirty.nextSetBit(0); each >= 0; each = dirty.nextSetBit(each + 1)) {
      store(first, block(each));
      dirty.clear(each);
    }
  }

  private static void copy(MemorySegment from, Datatype fromType, MemorySegment to, Datatype toType) {
    Regions source = new Regions();
    Regions target = new Regions();
    fromType.flatten(source);
    toType.flatten(target);
    int at = 0;
    long done = 0;
    for (int i = 0; i < source.count(); i++) {
      for (long moved = 0; moved < source.length(i);) {
        long bytes = Math.min(source.length(i) - moved, target.length(at) - done);
        MemorySegment.copy(from, source.offset(i) + moved, to, target.offset(at) + done, bytes);
        moved += bytes;
        done += bytes;
        if (done == target.length(at)) {
          at++;
          done = 0;
        }
      }
    }
  }
}
