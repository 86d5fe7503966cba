package dev.weft.hca.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Where the native memory of queues comes from, as the allocators of {@code ibv_parent_domain_init_attr}. Called by the thread that
 * runs the verb.
 */
public interface QueueAllocator {
  /**
   * Memory that any thread may write, or null for the HCA's own allocator.
   *
   * @param sizeBytes at least that much is needed
   * @param alignment a power of two, in bytes
   */
  MemorySegment allocate(long sizeBytes, long alignment);

  /** What {@link #allocate} has answered is not used any more. Not called for null. */
  void free(MemorySegment memory);
}
