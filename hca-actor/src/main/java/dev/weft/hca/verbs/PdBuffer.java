package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory that was allocated for a protection domain, as {@code ibv_buf}: page-aligned, zero, and registered only in that domain, whole
 * or in parts.
 */
public interface PdBuffer {
  ProtectionDomain pd();

  /** The memory itself, for the consumer to read and write. */
  MemorySegment segment();

  /** Length in bytes. */
  long length();
}
