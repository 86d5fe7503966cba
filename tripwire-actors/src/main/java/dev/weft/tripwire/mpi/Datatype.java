package dev.weft.tripwire.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Type of the elements in memory, for operations that compute with them; in the byte order of this machine. */
public enum Datatype {
  INT(4),
  LONG(8),
  DOUBLE(8);

  private final int bytes;

  Datatype(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of an element. */
  public int bytes() {
    return bytes;
  }

  /** Replaces {@code into} by {@code into op with}, element by element. */
  void combine(Op op, MemorySegment into, MemorySegment with) {
    for (long at = 0; at < into.byteSize(); at += bytes) {
      switch (this) {
        case INT -> into.set(ValueLayout.JAVA_INT_UNALIGNED, at,
            (int) op.apply(into.get(ValueLayout.JAVA_INT_UNALIGNED, at), with.get(ValueLayout.JAVA_INT_UNALIGNED, at)));
        case LONG -> into.set(ValueLayout.JAVA_LONG_UNALIGNED, at,
            op.apply(into.get(ValueLayout.JAVA_LONG_UNALIGNED, at), with.get(ValueLayout.JAVA_LONG_UNALIGNED, at)));
        case DOUBLE -> into.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at,
            op.apply(into.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at), with.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at)));
      }
    }
  }
}
