package dev.weft.pvfs.mdbi;

import dev.weft.pvfs.types.Datatype;
import java.util.Arrays;

/**
 * The division of a file into an array of records, and of the array into blocks. The last index goes fastest.
 *
 * @param recordBytes bytes of a record
 * @param elements records of a block in each dimension
 * @param blocks blocks in each dimension
 * @param overlap records of its neighbours that a block is read with, on either side
 */
record BlockShape(long recordBytes, long[] elements, long[] blocks, long[] overlap) {
  static final int DIMENSIONS_MAX = 15;

  BlockShape {
    int dimensions = elements.length;
    if (dimensions < 1 || dimensions > DIMENSIONS_MAX || blocks.length != dimensions || overlap.length != dimensions) {
      throw new IllegalArgumentException("blocks of " + dimensions + " dimensions with " + blocks.length + " counts and " + overlap.length
          + " overlaps, must be 1 to " + DIMENSIONS_MAX + ", and as many of each");
    }
    for (int i = 0; i < dimensions; i++) {
      if (elements[i] < 1 || blocks[i] < 1 || overlap[i] < 0) {
        throw new IllegalArgumentException("dimension " + (i + 1) + " with " + blocks[i] + " blocks of " + elements[i] + " records and an overlap of "
            + overlap[i] + ", must be 1, 1 and 0 at least");
      }
    }
    if (recordBytes < 1) {
      throw new IllegalArgumentException("records of " + recordBytes + " bytes, must have 1 at least");
    }
    elements = elements.clone();
    blocks = blocks.clone();
    overlap = overlap.clone();
  }

  /** Returns the records of the whole array in each dimension; throws if that is too much for a file. */
  long[] array() {
    long[] sizes = new long[elements.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = Math.multiplyExact(elements[i], blocks[i]);
    }
    return sizes;
  }

  /** Returns the records of so many blocks in each dimension, with the overlap. */
  long[] withOverlap(long[] count) {
    long[] sizes = new long[elements.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = Math.addExact(Math.multiplyExact(elements[i], count[i]), Math.multiplyExact(2, overlap[i]));
    }
    return sizes;
  }

  /** Returns the bytes of an array of records. */
  long bytes(long[] sizes) {
    return Arrays.stream(sizes).reduce(recordBytes, Math::multiplyExact);
  }

  /** Returns the type of a part of an array of records. */
  Datatype part(long[] sizes, long[] subsizes, long[] starts) {
    return Datatype.subarray(sizes, subsizes, starts, Datatype.bytes(recordBytes));
  }

  void check(long[] index) {
    if (index.length != blocks.length) {
      throw new IllegalArgumentException("a block at " + Arrays.toString(index) + " of " + blocks.length + " dimensions");
    }
    for (int i = 0; i < index.length; i++) {
      if (index[i] < 0 || index[i] >= blocks[i]) {
        throw new IllegalArgumentException("block " + index[i] + " in dimension " + (i + 1) + ", must be from 0 to " + (blocks[i] - 1));
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockShape same && recordBytes == same.recordBytes && Arrays.equals(elements, same.elements)
        && Arrays.equals(blocks, same.blocks) && Arrays.equals(overlap, same.overlap);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(elements) + 31 * Arrays.hashCode(blocks);
  }

  @Override
  public String toString() {
    return Arrays.toString(blocks) + " blocks of " + Arrays.toString(elements) + " records of " + recordBytes + " bytes";
  }
}
