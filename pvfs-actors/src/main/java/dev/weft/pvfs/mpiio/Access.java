package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import dev.weft.pvfs.types.Regions;
import java.lang.foreign.MemorySegment;

/** The data that one rank moves in a call: ascending pieces of the file, and pieces of memory. */
final class Access {
  /** Maximum number of pieces of one access: 16 bytes for each piece of the file, and as many for each of memory. */
  private static final int PIECES_MAX = 1 << 22;

  final Regions file = new Regions();
  final Regions memory = new Regions();
  final MemorySegment base;

  /**
   * Makes an access at an offset of a view.
   *
   * @param offset in etypes
   * @param isInto whether the memory is written
   * @throws IllegalArgumentException if it lies beyond every file, has too many pieces, or its memory is too short or unusable
   */
  Access(FlatType view, long offset, long etypeBytes, MemorySegment base, Datatype of, long count, boolean isInto) {
    if (offset < 0 || count < 0) {
      throw new IllegalArgumentException("an access of " + count + " from " + offset + " on, must be 0 or more");
    }
    if (!base.scope().isAlive() || isInto && base.isReadOnly()) {
      throw new IllegalArgumentException((isInto && base.isReadOnly() ? "memory to read into that is read-only: " : "memory that is closed: ") + base);
    }
    Datatype all = of.times(count);
    all.flatten(memory);
    long reach = 0;
    for (int i = 0; i < memory.count(); i++) {
      reach = Math.max(reach, memory.offset(i) + memory.length(i));
    }
    if (reach > base.byteSize()) {
      throw new IllegalArgumentException(base.byteSize() + " bytes of memory for " + count + " of a data type that reaches to " + reach);
    }
    this.base = base;
    if (!isWithinFiles(view, offset, etypeBytes, all.size())) {
      throw new IllegalArgumentException(all.size() + " bytes from offset " + offset + " of the view on lie beyond every file, which has "
          + Striping.FILE_BYTES_MAX + " bytes at most");
    }
  }

  private boolean isWithinFiles(FlatType view, long offset, long etypeBytes, long bytes) {
    try {
      if (view.pieces(Math.multiplyExact(offset, etypeBytes), bytes, file, PIECES_MAX) < bytes) {
        throw new IllegalArgumentException("an access of more than " + PIECES_MAX + " pieces; fewer at a time would be right");
      }
    } catch (ArithmeticException far) {
      return false;
    }
    return isEmpty() || begin() >= 0 && file.offset(file.count() - 1) <= Striping.FILE_BYTES_MAX - file.length(file.count() - 1);
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

  /** Returns how many bytes of the access lie in a file of the given length. */
  long bytesBefore(long length) {
    long bytes = 0;
    for (int i = 0; i < file.count(); i++) {
      bytes += Math.clamp(length - file.offset(i), 0, file.length(i));
    }
    return bytes;
  }
}
