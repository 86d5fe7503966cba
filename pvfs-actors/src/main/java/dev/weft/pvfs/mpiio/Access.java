package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import dev.weft.pvfs.types.Regions;
import java.lang.foreign.MemorySegment;

/** What one rank moves in a call: pieces of the file, which ascend, and pieces of memory. */
final class Access {
  /** Pieces of one access: 16 bytes for each of the file, and as many of memory. */
  private static final int PIECES_MAX = 1 << 22;

  final Regions file = new Regions();
  final Regions memory = new Regions();
  final MemorySegment base;

  /**
   * From a position of a view on.
   *
   * @throws IllegalArgumentException if it lies beyond every file, the memory is too short, or it has too many pieces
   */
  Access(FlatType view, long position, MemorySegment base, Datatype of, long count) {
    if (position < 0 || count < 0) {
      throw new IllegalArgumentException("an access of " + count + " from " + position + " on, must be 0 or more");
    }
    Datatype all = of.times(count);
    if (all.size() > 0 && all.extent() > base.byteSize()) {
      all = fitted(of, count, base);
    }
    all.flatten(memory);
    this.base = base;
    try {
      if (view.pieces(position, all.size(), file, PIECES_MAX) < all.size()) {
        throw new IllegalArgumentException("an access of more than " + PIECES_MAX + " pieces; fewer at a time would be right");
      }
    } catch (ArithmeticException far) {
      throw new IllegalArgumentException("position " + position + " of the view lies beyond every file", far);
    }
  }

  /** Behind the last piece memory may end. */
  private static Datatype fitted(Datatype of, long count, MemorySegment base) {
    Datatype all = of.times(count);
    Regions pieces = new Regions();
    all.flatten(pieces);
    long end = 0;
    for (int i = 0; i < pieces.count(); i++) {
      end = Math.max(end, pieces.offset(i) + pieces.length(i));
    }
    if (end > base.byteSize()) {
      throw new IllegalArgumentException(base.byteSize() + " bytes of memory for " + count + " of a data type that reaches to " + end);
    }
    return all;
  }

  long bytes() {
    return file.bytes();
  }

  boolean isEmpty() {
    return file.count() == 0;
  }

  long begin() {
    return file.offset(0);
  }

  long end() {
    return file.offset(file.count() - 1) + file.length(file.count() - 1);
  }

  /** Bytes that a file of a length has of it. */
  long bytesBefore(long length) {
    long bytes = 0;
    for (int i = 0; i < file.count(); i++) {
      bytes += Math.clamp(length - file.offset(i), 0, file.length(i));
    }
    return bytes;
  }
}
