package dev.weft.pvfs.types;

/**
 * Describes which bytes are meant, relative to a start: a few numbers for any number of pieces, nested like MPI's derived types. Immutable. The order
 * of the pieces is the order of the data. A type with overlapping pieces can be used for reading only.
 *
 * <p>Bounds: displacements are not negative; at most {@link #DEPTH_MAX} nested types; at most {@link #REGIONS_MAX} pieces in one type; sizes and
 * extents up to {@link #BYTES_MAX}. Making a type beyond these bounds throws {@link IllegalArgumentException}.
 */
public sealed interface Datatype permits Plain, Repeated, Indexed, Subarray, Resized {
  /** Maximum nesting depth. */
  int DEPTH_MAX = 16;
  /** Maximum number of pieces of one type. A flattened type takes 24 bytes of memory for each. */
  long REGIONS_MAX = 1 << 22;
  /** Maximum bytes of a type, gaps included: far more than any file has, and the sum of two does not overflow. */
  long BYTES_MAX = 1L << 62;

  /** Bytes of data, without gaps. */
  long size();

  /** Bytes from the type's beginning to where the next element begins, gaps included. */
  long extent();

  /** Upper bound of the number of pieces: adjacent pieces may count as one. */
  long regions();

  /** Nesting depth, this type included. */
  int depth();

  /** Whether it is one piece without a gap from its beginning to the end of its extent. */
  boolean isDense();

  /** Reports its pieces in order, if it begins at {@code at}. */
  void tell(long at, RegionSink to);

  /** Adds its pieces to others, as if it began at 0. */
  default void flatten(Regions to) {
    tell(0, to::add);
  }

  /** A row of {@code count} bytes. */
  static Datatype bytes(long count) {
    return new Plain(count);
  }

  /** {@code count} elements of this type, one after the other. */
  default Datatype times(long count) {
    return new Repeated(count, extent(), this);
  }

  /**
   * Blocks at equal distances.
   *
   * @param count number of blocks
   * @param blockLength elements of {@code of} in a block
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
    return all.extent() == end ? all : new Resized(end, all); // Leaves out the gap behind the last block.
  }

  /**
   * Blocks of any lengths at any displacements.
   *
   * @param blockLengths elements of {@code of} in each block
   * @param displacements where each block begins, in bytes
   */
  static Datatype indexed(long[] blockLengths, long[] displacements, Datatype of) {
    return new Indexed(blockLengths, displacements, of);
  }

  /**
   * A part of an array in C order: the last index goes fastest.
   *
   * @param sizes elements of the array in each dimension
   * @param subsizes elements of the part in each dimension
   * @param starts indices of the part's first element
   */
  static Datatype subarray(long[] sizes, long[] subsizes, long[] starts, Datatype of) {
    return new Subarray(sizes, subsizes, starts, of);
  }

  /** This type with another extent. */
  default Datatype resized(long extent) {
    return new Resized(extent, this);
  }
}
