package dev.weft.pvfs.types;

import java.util.Arrays;

/**
 * Blocks of one length at positions that count in a few dimensions; the last dimension goes fastest, the first has no end. Vectors, vectors of
 * vectors and subarrays, repeated from a displacement on, have this form. It describes any number of pieces in a few numbers, so a request can carry
 * it. Immutable.
 *
 * @see #walk
 */
public final class Shape {
  /** Maximum number of dimensions, the first one included. */
  public static final int DIMENSIONS_MAX = 8;
  private static final long[] NONE = {};

  private final long start;
  private final long blockBytes;
  /** For each dimension but the first, which has no end: {@code counts[0]} is not used. */
  private final long[] counts;
  private final long[] strides;

  /**
   * Makes a shape from numbers that may come from another host.
   *
   * @param start offset of the first block
   * @param blockBytes bytes of each block, 1 or more
   * @param counts blocks, or groups of them, in each dimension, 1 or more; that of the first dimension is ignored
   * @param strides bytes from one to the next in each dimension; as many as counts
   * @throws IllegalArgumentException if they are out of bounds
   */
  public Shape(long start, long blockBytes, long[] counts, long[] strides) {
    if (counts.length < 1 || counts.length > DIMENSIONS_MAX || strides.length != counts.length) {
      throw new IllegalArgumentException("a shape of " + counts.length + " dimensions with " + strides.length + " strides, must be as many, and 1 to "
          + DIMENSIONS_MAX);
    }
    if (start < 0 || blockBytes < 1 || blockBytes > Datatype.BYTES_MAX) {
      throw new IllegalArgumentException("a shape of blocks of " + blockBytes + " bytes from " + start + ", must have 1 or more, from 0 or later");
    }
    for (int i = 0; i < counts.length; i++) {
      if (i > 0 && counts[i] < 1 || strides[i] < 0) {
        throw new IllegalArgumentException("a shape of " + counts[i] + " at distances of " + strides[i] + " in dimension " + i
            + ", must be 1 or more at distances of 0 or more");
      }
    }
    this.start = start;
    this.blockBytes = blockBytes;
    this.counts = counts.clone();
    this.strides = strides.clone();
  }

  /**
   * Returns the shape of a type that repeats from a displacement on, as in {@link FlatType}; null if it has none, because its blocks differ or are
   * irregular.
   */
  public static Shape of(long displacement, Datatype type) {
    Nest nest = displacement > Datatype.BYTES_MAX ? null : Nest.of(type);
    if (nest == null || nest.counts.length + 1 > DIMENSIONS_MAX) {
      return null;
    }
    Nest all = nest.in(1, type.extent());
    return new Shape(displacement + nest.start, nest.blockBytes, all.counts, all.strides);
  }

  /** The blocks of one element, without the endless dimension. */
  private record Nest(long start, long blockBytes, long[] counts, long[] strides) {
    static Nest of(Datatype type) {
      if (type.size() == 0) {
        return null;
      }
      if (type.isDense()) {
        return new Nest(0, type.size(), NONE, NONE);
      }
      return switch (type) {
        case Plain plain -> new Nest(0, plain.size(), NONE, NONE);
        case Resized resized -> of(resized.of());
        case Repeated repeated -> many(repeated.count(), repeated.strideBytes(), of(repeated.of()));
        case Subarray part -> of(part);
        case Indexed _ -> null;
      };
    }

    private static Nest of(Subarray part) {
      int last = part.sizes().length - 1;
      Nest row = of(part.of().times(part.subsizes()[last]));
      long step = part.of().extent();
      long from = 0;
      Nest nest = row;
      for (int i = last; i >= 0; i--) {
        from += part.starts()[i] * step;
        nest = i == last ? row : many(part.subsizes()[i], step, nest);
        step *= part.sizes()[i];
      }
      return nest == null ? null : new Nest(nest.start + from, nest.blockBytes, nest.counts, nest.strides);
    }

    private static Nest many(long count, long stride, Nest of) {
      return of == null || count == 1 ? of : of.in(count, stride);
    }

    /** Returns {@code count} elements of it, {@code stride} bytes apart. */
    Nest in(long count, long stride) {
      long[] moreCounts = new long[counts.length + 1];
      long[] moreStrides = new long[counts.length + 1];
      System.arraycopy(counts, 0, moreCounts, 1, counts.length);
      System.arraycopy(strides, 0, moreStrides, 1, counts.length);
      moreCounts[0] = count;
      moreStrides[0] = stride;
      return new Nest(start, blockBytes, moreCounts, moreStrides);
    }
  }

  public long start() {
    return start;
  }

  public long blockBytes() {
    return blockBytes;
  }

  /** Returns the number of dimensions, the first one included. */
  public int dimensions() {
    return counts.length;
  }

  public long count(int dimension) {
    return counts[dimension];
  }

  public long stride(int dimension) {
    return strides[dimension];
  }

  /** Begins a walk at a byte of the data. */
  public Walk walk(long position) {
    return new Walk(position);
  }

  /** A position in the blocks of a shape. Positions beyond 2^63 throw {@link ArithmeticException}. */
  public final class Walk {
    private final long[] indexes = new long[counts.length];
    private long block;
    private long done;

    private Walk(long position) {
      long number = position / blockBytes;
      done = position % blockBytes;
      block = start;
      for (int i = counts.length - 1; i > 0; i--) {
        go(i, number % counts[i]);
        number /= counts[i];
      }
      go(0, number);
    }

    private void go(int dimension, long index) {
      indexes[dimension] = index;
      block = Math.addExact(block, Math.multiplyExact(index, strides[dimension]));
    }

    /** Returns the current offset. */
    public long offset() {
      settle();
      return Math.addExact(block, done);
    }

    /** Returns the bytes from there to the end of the block. */
    public long left() {
      settle();
      return blockBytes - done;
    }

    /** Moves on by so many bytes, at most {@link #left}. */
    public void advance(long bytes) {
      settle();
      done += bytes;
    }

    /** Moves to the next block if the current one is finished. Only on demand, since that block may lie out of range. */
    private void settle() {
      if (done < blockBytes) {
        return;
      }
      done = 0;
      int i = counts.length - 1;
      for (; i > 0 && indexes[i] + 1 == counts[i]; i--) {
        block -= indexes[i] * strides[i];
        indexes[i] = 0;
      }
      indexes[i]++;
      block = Math.addExact(block, strides[i]);
    }
  }

  @Override
  public String toString() {
    return "blocks of " + blockBytes + " bytes from " + start + ", " + Arrays.toString(counts) + " at distances of " + Arrays.toString(strides);
  }
}
