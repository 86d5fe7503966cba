package dev.weft.hca.memory;

import dev.weft.hca.verbs.ParentDomain;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A parent domain and its allocator. */
public final class ParentPd implements ParentDomain {
  private static final long ALIGNMENT = 8;

  private final Pd pd;
  private final QueueAllocator allocator;
  /** Number of its queue pairs and, below, whether it is deallocated. Hardware thread. */
  private int useCount;
  private boolean deallocated;

  public ParentPd(Pd pd, QueueAllocator allocator) {
    this.pd = pd;
    this.allocator = allocator;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  public boolean isDeallocated() {
    return deallocated;
  }

  public void deallocate() {
    deallocated = true;
  }

  public int useCount() {
    return useCount;
  }

  /** Counts a created (1) or destroyed (-1) queue pair. */
  public void use(int delta) {
    useCount += delta;
  }

  /** Allocates memory for a queue by the consumer's allocator; returns null if the HCA should use its own. */
  public MemorySegment allocate(long sizeBytes) {
    MemorySegment memory = allocator == null ? null : allocator.allocate(sizeBytes, ALIGNMENT);
    if (memory != null && (memory.byteSize() < sizeBytes || memory.isReadOnly() || memory.address() % ALIGNMENT != 0
        || !memory.isNative() || !MemoryVerbs.isShared(memory))) {
      throw new VerbsException(Errno.ENOMEM, "the allocator of the parent domain returned " + memory + ", must return " + sizeBytes
          + " bytes of native memory, aligned to " + ALIGNMENT + ", that every thread may write");
    }
    return memory;
  }

  public void free(MemorySegment memory) {
    allocator.free(memory);
  }

  /** Allocates memory by the HCA's own allocator. */
  public static MemorySegment allocateDefault(long sizeBytes) {
    return Arena.ofAuto().allocate(sizeBytes, ALIGNMENT);
  }
}
