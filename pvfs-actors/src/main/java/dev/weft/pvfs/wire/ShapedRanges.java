package dev.weft.pvfs.wire;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Shape;
import java.lang.foreign.MemorySegment;

/**
 * The ranges of a request in the form of a shape: a part of the data of a {@link Shape} in the file, of which the daemon takes its share. The data is
 * in one piece of the client's memory, which holds the data of all daemons in the order of the shape. Client and daemon compute the same ranges from
 * it ({@link #expand}).
 *
 * <pre>
 *  0 start   8 bytes of a block   16 first byte of the part, in the data of the shape   24 bytes of the part   32 stripe size, 4   36 daemons of the file, 2
 * 38 which of them, 2   40 address of the memory, 8   48 rkey, 4   52 dimensions, 4;  56 of each: count 8, stride 8
 * </pre>
 *
 * @param shape in the file
 * @param position first byte of the part
 * @param bytes of the part, at all daemons
 * @param slot index of the daemon among those of the file
 * @param slots number of daemons of the file
 * @param stripeBytes of the file
 * @param address of the memory
 * @param rkey of the memory
 */
public record ShapedRanges(Shape shape, long position, long bytes, int slot, int slots, int stripeBytes, long address, int rkey) {
  /** Maximum pieces of the local object, and of memory, in one request. */
  public static final int PIECES_MAX = 4096;
  /** Maximum blocks, and parts of blocks in a stripe, of all daemons, that a daemon visits for one request: less than a millisecond. */
  public static final int STEPS_MAX = 16_384;
  private static final int HEAD_BYTES = 56;
  private static final int PIECE_BYTES_MAX = 1 << 30;
  static final int BYTES_MAX = HEAD_BYTES + 2 * Long.BYTES * Shape.DIMENSIONS_MAX;

  /** Returns these ranges with their memory. */
  public ShapedRanges at(long memoryAddress, int memoryKey) {
    return new ShapedRanges(shape, position, bytes, slot, slots, stripeBytes, memoryAddress, memoryKey);
  }

  /** Writes them; returns their length. */
  int encode(MemorySegment to, long at) {
    to.set(DaemonRequest.LONG, at, shape.start());
    to.set(DaemonRequest.LONG, at + 8, shape.blockBytes());
    to.set(DaemonRequest.LONG, at + 16, position);
    to.set(DaemonRequest.LONG, at + 24, bytes);
    to.set(DaemonRequest.INT, at + 32, stripeBytes);
    to.set(DaemonRequest.INT, at + 36, slots | slot << 16);
    to.set(DaemonRequest.LONG, at + 40, address);
    to.set(DaemonRequest.INT, at + 48, rkey);
    to.set(DaemonRequest.INT, at + 52, shape.dimensions());
    long next = at + HEAD_BYTES;
    for (int i = 0; i < shape.dimensions(); i++, next += 2 * Long.BYTES) {
      to.set(DaemonRequest.LONG, next, shape.count(i));
      to.set(DaemonRequest.LONG, next + Long.BYTES, shape.stride(i));
    }
    return (int) (next - at);
  }

  /**
   * Reads them.
   *
   * @param length bytes that are available
   * @throws IllegalArgumentException if they are invalid, with the reason
   */
  static ShapedRanges decode(MemorySegment from, long at, int length) {
    int dimensions = length < HEAD_BYTES ? 0 : from.get(DaemonRequest.INT, at + 52);
    if (dimensions < 1 || dimensions > Shape.DIMENSIONS_MAX || length < HEAD_BYTES + 2 * Long.BYTES * dimensions) {
      throw new IllegalArgumentException("a shape of " + dimensions + " dimensions in " + length + " bytes, must have 1 to " + Shape.DIMENSIONS_MAX);
    }
    long[] counts = new long[dimensions];
    long[] strides = new long[dimensions];
    for (int i = 0; i < dimensions; i++) {
      counts[i] = from.get(DaemonRequest.LONG, at + HEAD_BYTES + 2L * Long.BYTES * i);
      strides[i] = from.get(DaemonRequest.LONG, at + HEAD_BYTES + 2L * Long.BYTES * i + Long.BYTES);
    }
    Shape shape = new Shape(from.get(DaemonRequest.LONG, at), from.get(DaemonRequest.LONG, at + 8), counts, strides);
    int who = from.get(DaemonRequest.INT, at + 36);
    ShapedRanges all = new ShapedRanges(shape, from.get(DaemonRequest.LONG, at + 16), from.get(DaemonRequest.LONG, at + 24), who >>> 16, who & 0xffff,
        from.get(DaemonRequest.INT, at + 32), from.get(DaemonRequest.LONG, at + 40), from.get(DaemonRequest.INT, at + 48));
    all.check();
    return all;
  }

  private void check() {
    if (slots < 1 || slots > Striping.DAEMONS_MAX || slot >= slots || stripeBytes < 1 || stripeBytes > Striping.STRIPE_BYTES_MAX) {
      throw new IllegalArgumentException("a shape at daemon " + slot + " of " + slots + " with stripes of " + stripeBytes + " bytes");
    }
    if (position < 0 || bytes < 1) {
      throw new IllegalArgumentException("a part of " + bytes + " bytes from " + position + " of a shape");
    }
  }

  int encodedBytes() {
    return HEAD_BYTES + 2 * Long.BYTES * shape.dimensions();
  }

  /**
   * Computes the ranges that the daemon has.
   *
   * @param file gets the ranges of the local object
   * @param memory gets the ranges of the client's memory; null if not wanted
   * @throws IllegalArgumentException if there are too many ranges or finding them takes too much work, with the reason
   */
  void expand(Ranges file, Ranges memory) {
    try {
      tryExpand(new Striping(0, slots, stripeBytes, slots), file, memory);
    } catch (ArithmeticException far) {
      throw new IllegalArgumentException("a shape that reaches beyond every file: " + shape, far);
    }
  }

  private void tryExpand(Striping striping, Ranges file, Ranges memory) {
    Shape.Walk walk = shape.walk(position);
    int steps = 0;
    for (long done = 0; done < bytes;) {
      if (++steps > STEPS_MAX) {
        throw new IllegalArgumentException("a shape of more than " + STEPS_MAX + " blocks and stripes in one request: " + shape);
      }
      long offset = walk.offset();
      int piece = piece(striping, walk, bytes - done);
      if (striping.slotOf(offset) == slot
          && !(file.add(striping.localOf(offset), piece) && (memory == null || memory.add(address + done, piece, rkey)))) {
        throw new IllegalArgumentException("a shape of more than " + PIECES_MAX + " pieces in one request: " + shape);
      }
      walk.advance(piece);
      done += piece;
    }
  }

  /** Returns how many of the next {@code left} bytes of a walk are adjacent in one local object. */
  public static int piece(Striping striping, Shape.Walk walk, long left) {
    long most = striping.count() == 1 ? PIECE_BYTES_MAX : striping.restOfStripe(walk.offset());
    return (int) Math.min(Math.min(walk.left(), left), most);
  }
}
