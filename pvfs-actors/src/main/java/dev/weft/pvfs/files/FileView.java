package dev.weft.pvfs.files;

import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import dev.weft.pvfs.types.Regions;
import dev.weft.pvfs.types.Shape;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A part of an open file, used as if it were the whole file: a logical partition, or any data type that repeats from a displacement on. A view is
 * purely local: other programs see the whole file. Any thread. It is closed with its file; otherwise as {@link PvfsFile}.
 *
 * <p>If the type consists of blocks at equal distances in each dimension ({@link Shape}) and memory is one piece, a request carries the type, and
 * daemons compute the pieces that they have. Otherwise list requests carry 64 pieces each. One call of the client has at most {@link #PIECES_MAX}
 * pieces; a longer operation takes several calls and is not atomic even on one daemon.
 */
public final class FileView {
  /** Pieces of the file that are listed at a time: 24 bytes for each. */
  static final int PIECES_MAX = 65_536;

  private final PvfsFile file;
  private final FlatType type;
  /** The type as daemons understand it; null if it has no such form. */
  private final Shape shape;

  FileView(PvfsFile file, FlatType type, Shape shape) {
    this.file = file;
    this.type = type;
    this.shape = shape;
  }

  /** Returns the offset in the file of a byte of the view. */
  public long offsetOf(long position) {
    requirePosition(position);
    return type.offsetOf(position);
  }

  private static void requirePosition(long position) {
    if (position < 0) {
      throw new IllegalArgumentException("position " + position + " of a view, must be 0 or more");
    }
  }

  /**
   * Returns the number of bytes of the view that the file has now. If the pieces of the type do not ascend, only bytes before the first one beyond
   * the file's end count.
   */
  public long size() throws PvfsException {
    return type.bytesBefore(file.size());
  }

  /**
   * Reads from a position of the view on until {@code to} is full or the file ends.
   *
   * @return the bytes of the range that the file has; the rest of {@code to} is zeros
   */
  public long read(MemorySegment to, long position) throws PvfsException {
    return read(position, List.of(to));
  }

  /** Writes all of {@code from} at a position of the view. When this throws, some of it may be written. */
  public void write(MemorySegment from, long position) throws PvfsException {
    write(position, List.of(from));
  }

  /** Reads into the pieces of memory that {@code count} elements of a type describe, the first at the beginning of {@code memory}. */
  public long read(MemorySegment memory, Datatype of, long count, long position) throws PvfsException {
    return read(position, slices(memory, of, count));
  }

  /** Writes from the pieces of memory that {@code count} elements of a type describe. */
  public void write(MemorySegment memory, Datatype of, long count, long position) throws PvfsException {
    write(position, slices(memory, of, count));
  }

  private long read(long position, List<MemorySegment> memory) throws PvfsException {
    long[] bytes = {0};
    move(position, memory, (at, offsets, lengths, pieces) -> bytes[0] += file.readShaped(shape, at, offsets, lengths, pieces));
    return bytes[0];
  }

  private void write(long position, List<MemorySegment> memory) throws PvfsException {
    if (!type.isAscending()) {
      throw new IllegalArgumentException("a view whose pieces overlap or go back can be read, not written");
    }
    move(position, memory, (at, offsets, lengths, pieces) -> file.writeShaped(shape, at, offsets, lengths, pieces));
  }

  private interface Call {
    void run(long position, long[] offsets, long[] lengths, MemorySegment[] memory) throws PvfsException;
  }

  private void move(long position, List<MemorySegment> memory, Call call) throws PvfsException {
    requirePosition(position);
    MemoryCursor cursor = new MemoryCursor(memory);
    long at = position;
    while (cursor.leftBytes() > 0) {
      Regions regions = new Regions();
      long bytes;
      try {
        bytes = type.pieces(at, cursor.leftBytes(), regions, PIECES_MAX);
      } catch (ArithmeticException far) {
        throw new IllegalArgumentException("position " + at + " of the view lies beyond every file", far);
      }
      call.run(at, regions.offsets(), regions.lengths(), cursor.take(bytes));
      at += bytes;
    }
  }

  private static List<MemorySegment> slices(MemorySegment memory, Datatype of, long count) {
    if (count < 0) {
      throw new IllegalArgumentException(count + " of a data type, must be 0 or more");
    }
    return MemoryCursor.slices(memory, of.times(count));
  }
}
