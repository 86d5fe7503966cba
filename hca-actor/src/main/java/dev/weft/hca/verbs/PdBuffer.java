package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory that was allocated for a protection domain, as {@code ibv_buf}. It is page-aligned and initially zero. It can be registered, whole or in parts,
 * only in that domain.
 */
public interface PdBuffer {
  ProtectionDomain pd();

  /** The memory itself, which the consumer may read and write. */
  MemorySegment segment();

  /** Length in bytes. */
  long length();
}
