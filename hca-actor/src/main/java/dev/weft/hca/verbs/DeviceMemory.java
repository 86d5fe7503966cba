package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory of the HCA itself, as {@code ibv_dm}: consumers reach it by copying, peers through a region registered on it. Zero when
 * allocated. Offsets and lengths are multiples of {@link #ALIGNMENT}. Any thread; copies are not ordered with the traffic of peers.
 */
public interface DeviceMemory {
  /** Bytes. */
  int ALIGNMENT = 4;

  /** Length in bytes. */
  long length();

  /**
   * Copies all of {@code source} to {@code offset}.
   *
   * @throws VerbsException EINVAL if the memory was freed, or offset or length are not aligned or outside; EFAULT if the consumer's memory has
   *     no pages, and then part of it was copied
   */
  void copyTo(long offset, MemorySegment source);

  /** Fills {@code target} with what is at {@code offset}; errors as {@link #copyTo}. */
  void copyFrom(long offset, MemorySegment target);
}
