package dev.weft.dsm.release;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Finds the elements of a minipage that differ from its twin, and moves elements one by one, so that no thread sees half of one. Pure functions on
 * memory.
 */
final class Differences {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
  private static final VarHandle ALIGNED_LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
  private static final VarHandle ALIGNED_INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private Differences() {}

  /**
   * Offset of the first differing element at or after {@code from}; {@code bytes} if there is none. All offsets are in bytes from the start of the
   * minipage.
   */
  static int next(MemorySegment frame, long at, MemorySegment twin, int from, int bytes, int elementBytes) {
    long found = MemorySegment.mismatch(frame, at + from, at + bytes, twin, from, bytes);
    return found < 0 ? bytes : from + (int) found & -elementBytes;
  }

  /** End of the run of differing elements that begins at {@code from}, at most {@code most} bytes long. */
  static int end(MemorySegment frame, long at, MemorySegment twin, int from, int most, int bytes, int elementBytes) {
    int limit = (int) Math.min((long) from + most, bytes);
    int end = from;
    while (end + elementBytes <= limit && get(frame, at + end, elementBytes) != load(twin, end, elementBytes)) {
      end += elementBytes;
    }
    return end;
  }

  /** Loads an element that threads may write at the same time. */
  static long get(MemorySegment frame, long at, int elementBytes) {
    return switch (elementBytes) {
      case 8 -> (long) ALIGNED_LONG.getOpaque(frame, at);
      case 4 -> (int) ALIGNED_INT.getOpaque(frame, at);
      default -> (byte) BYTE.getOpaque(frame, at);
    };
  }

  /** Stores an element that threads may read at the same time. */
  static void set(MemorySegment frame, long at, int elementBytes, long value) {
    switch (elementBytes) {
      case 8 -> ALIGNED_LONG.setOpaque(frame, at, value);
      case 4 -> ALIGNED_INT.setOpaque(frame, at, (int) value);
      default -> BYTE.setOpaque(frame, at, (byte) value);
    }
  }

  /** Loads an element that no other thread touches. */
  static long load(MemorySegment from, long at, int elementBytes) {
    return switch (elementBytes) {
      case 8 -> (long) LONG.get(from, at);
      case 4 -> (int) INT.get(from, at);
      default -> (byte) BYTE.get(from, at);
    };
  }

  /** Stores an element that no other thread touches. */
  static void store(MemorySegment to, long at, int elementBytes, long value) {
    switch (elementBytes) {
      case 8 -> LONG.set(to, at, value);
      case 4 -> INT.set(to, at, (int) value);
      default -> BYTE.set(to, at, (byte) value);
    }
  }
}
