package dev.weft.pvfs.types;

/**
 * Which bytes are meant, relative to a place: a few numbers that stand for any number of pieces, nested as MPI's derived types are. Immutable. Pieces have an
 * order, which is that of the data; a type whose pieces overlap can be read by, not be written by.
 *
 * <p>Bounds: displacements are not negative; {@link #DEPTH_MAX} types in each other; {@link #REGIONS_MAX} pieces in one; sizes and extents to
 * {@link #BYTES_MAX}. What is beyond is an {@link IllegalArgumentException} when the type is made.
 */
public sealed interface Datatype permits Plain, Repeated, Indexed, Subarray, Resized {
  /** Types in each other. */
  int DEPTH_MAX = 16;
  /** Pieces of one type: what a flattened one has in memory is 24 bytes for each. */
  long REGIONS_MAX = 1 << 22;
  /** Bytes of a type, with its gaps: far more than any file has, and sums of two do not overflow. */
  long BYTES_MAX = 1L << 62;

  /** Bytes of data. */
  long size();

  /** Bytes from its beginning to where a further one begins, gaps counted. */
  long extent();

  /** Pieces at most: neighbours may be one. */
  long regions();

  /** Types in each other, with this one. */
  int depth();

  /** Whether it is one piece without a gap from its beginning to the end of its extent. */
  boolean isDense();

  /** Tells its pieces, in order, if it begins at {@code at}. */
  void tell(long at, RegionSink to);

  /** Adds its pieces to others, as if it began at 0. */
  default void flatten(Regions to) {
    tell(0, to::add);
  }

  /** So many bytes. */
  static Datatype bytes(long count) {
    return new Plain(count);
  }

  /** So many of this one, one after the other. */
  default Datatype times(long count) {
    return new Repeated(count, extent(), this);
  }

  /**
   * Blocks at equal distances.
   *
   * @param count blocks
   * @param blockLength of {@code of} in a block
   * @param stride from the beginning of a block to that of the next, in extents of {@code of}
   */
  static Datatype vector(long count, long blockLength, long stride, Datatype of) {
    Checks.notNegative("a stride", stride);
    return strided(count, blockLength, Checks.times(stride, of.extent()), of);
  }

  /** As {@link #vector}, the stride in bytes. */
  static Datatype strided(long count, long blockLength, long strideBytes, Datatype of) {
    Datatype block = of.times(blockLength);
    Datatype all = new Repeated(count, strideBytes, block);
    long end = count == 0 ? 0 : Checks.sum(Checks.times(count - 1, strideBytes), block.extent());
    return all.extent() == end ? all : new Resized(end, all); // Without the gap behind the last block.
  }

  /**
   * Blocks of any length anywhere.
   *
   * @param blockLengths of {@code of} in each
   * @param displacements where each begins, in bytes
   */
  static Datatype indexed(long[] blockLengths, long[] displacements, Datatype of) {
    return new Indexed(blockLengths, displacements, of);
  }

  /**
   * A part of an array whose last index goes fastest (C order).
   *
   * @param sizes of the array, in each dimension
   * @param subsizes of the part
   * @param starts where the part begins
   */
  static Datatype subarray(long[] sizes, long[] subsizes, long[] starts, Datatype of) {
    return new Subarray(sizes, subsizes, starts, of);
  }

  /** The same with another extent. */
  default Datatype resized(long extent) {
    return new Resized(extent, this);
  }
}
