package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. The keys cannot be guessed. Immutable but for {@link #isValid()}, which local invalidation and
 * deregistration clear, and {@link #access()}, which re-registration may change.
 */
public interface MemoryRegion {
  /** Whether this is virtual memory of the host, so that {@link #segment} only names it. */
  boolean isUnpinned();

  /** First address of the region, in the address space that work requests use. */
  long addr();

  /** Length in bytes. */
  long length();

  int lkey();

  int rkey();

  /** {@link Access} bits. */
  int access();

  ProtectionDomain pd();

  /** The memory itself; of virtual memory of the host, its name. */
  MemorySegment segment();

  /** Whether the pages are locked in physical memory; false where the limit on locked memory forbade it. */
  boolean isPinned();

  /** False after deregistration or LOCAL_INV. */
  boolean isValid();
}
