package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A protection domain with an allocator for the native memory of queue pairs created in it, as {@code ibv_parent_domain}. What is
 * created in it belongs to the protection domain.
 */
public final class ParentDomain {
  private static final long ALIGNMENT = 8;

  private final ProtectionDomain pd;
  private final QueueAllocator allocator;
  /** Queue pairs, and whether it is gone. Hardware thread. */
  int useCount;
  boolean deallocated;

  ParentDomain(ProtectionDomain pd, QueueAllocator allocator) {
    this.pd = pd;
    this.allocator = allocator;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  /** Memory for a queue from the consumer's allocator; null if the HCA is to use its own. */
  MemorySegment allocate(long sizeBytes) {
    MemorySegment memory = allocator == null ? null : allocator.allocate(sizeBytes, ALIGNMENT);
    if (memory != null && (memory.byteSize() < sizeBytes || memory.isReadOnly() || memory.address() % ALIGNMENT != 0
        || !memory.isNative() || !MemoryVerbs.isShared(memory))) {
      throw new VerbsException(Errno.ENOMEM, "the allocator gave " + memory + "; want " + sizeBytes
          + " bytes of native memory, aligned to " + ALIGNMENT + ", that any thread may write");
    }
    return memory;
  }

  void free(MemorySegment memory) {
    allocator.free(memory);
  }

  /** The HCA's own allocator. */
  static MemorySegment allocateDefault(long sizeBytes) {
    return Arena.ofAuto().allocate(sizeBytes, ALIGNMENT);
  }
}
