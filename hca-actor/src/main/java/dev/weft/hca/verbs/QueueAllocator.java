package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Allocates the native memory of queues, like the allocators of {@code ibv_parent_domain_init_attr}. The thread that runs the verb
 * calls it.
 */
public interface QueueAllocator {
  /**
   * Allocates memory that any thread may write. Returns null to use the HCA's own allocator.
   *
   * @param sizeBytes required size
   * @param alignment a power of two, in bytes
   */
  MemorySegment allocate(long sizeBytes, long alignment);

  /** Frees memory that {@link #allocate} has returned; not called for null. */
  void free(MemorySegment memory);
}
