package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. The keys cannot be guessed. Immutable, except for {@link #isValid()}, which local invalidation and
 * deregistration clear, and {@link #access()}, which re-registration may change.
 */
public interface MemoryRegion {
  /** Whether this is virtual memory of the host; then {@link #segment} carries only its addresses. */
  boolean isUnpinned();

  /** The first address of the region, in the address space of work requests. */
  long addr();

  /** Length in bytes. */
  long length();

  int lkey();

  int rkey();

  /** {@link Access} bits. */
  int access();

  ProtectionDomain pd();

  /** The memory itself; for virtual memory of the host, a segment that carries only addresses. */
  MemorySegment segment();

  /** Whether the pages are locked in physical memory; false if the limit on locked memory forbade it. */
  boolean isPinned();

  /** Whether the region is valid; false after deregistration or LOCAL_INV. */
  boolean isValid();
}
