package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory of the HCA itself, as {@code ibv_dm}. Consumers access it by copying, peers through a region registered on it. It contains zeros when
 * allocated. Offsets and lengths are multiples of {@link #ALIGNMENT}. Any thread; copies are not ordered with the traffic of peers.
 */
public interface DeviceMemory {
  /** Alignment of offsets and lengths in bytes. */
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

  /** Fills {@code target} with the bytes from {@code offset} on; errors as for {@link #copyTo}. */
  void copyFrom(long offset, MemorySegment target);
}
