package dev.weft.lab.sim.rc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Native memory that runs reuse one after another, so that a run allocates none. Grows to the size of the largest run. */
final class SimulationMemory {
  private static final long INITIAL_BYTES = 8L << 20;
  private static final long ALIGNMENT = 64;

  private MemorySegment block = Arena.ofAuto().allocate(INITIAL_BYTES, ALIGNMENT);
  private long used;

  /** Frees everything allocated before. */
  void reset() {
    used = 0;
  }

  /** Memory with the content of earlier runs. */
  MemorySegment allocate(int length) {
    long rounded = (length + ALIGNMENT - 1) & -ALIGNMENT;
    if (used + rounded > block.byteSize()) {
      // Slices of the old block keep it alive.
      block = Arena.ofAuto().allocate(2 * Math.max(block.byteSize(), rounded), ALIGNMENT);
      used = 0;
    }
    MemorySegment segment = block.asSlice(used, length);
    used += rounded;
    return segment;
  }
}
