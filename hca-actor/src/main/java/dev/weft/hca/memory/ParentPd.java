package dev.weft.hca.memory;

import dev.weft.hca.verbs.ParentDomain;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A parent domain, and what its allocator gives. */
public final class ParentPd implements ParentDomain {
  private static final long ALIGNMENT = 8;

  private final Pd pd;
  private final QueueAllocator allocator;
  /** Queue pairs, and whether it is gone. Hardware thread. */
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

  /** A queue pair was created in it, or destroyed. */
  public void use(int delta) {
    useCount += delta;
  }

  /** Memory for a queue from the consumer's allocator; null if the HCA is to use its own. */
  public MemorySegment allocate(long sizeBytes) {
    MemorySegment memory = allocator == null ? null : allocator.allocate(sizeBytes, ALIGNMENT);
    if (memory != null && (memory.byteSize() < sizeBytes || memory.isReadOnly() || memory.address() % ALIGNMENT != 0
        || !memory.isNative() || !MemoryVerbs.isShared(memory))) {
      throw new VerbsException(Errno.ENOMEM, "the allocator gave " + memory + "; want " + sizeBytes
          + " bytes of native memory, aligned to " + ALIGNMENT + ", that any thread may write");
    }
    return memory;
  }

  public void free(MemorySegment memory) {
    allocator.free(memory);
  }

  /** The HCA's own allocator. */
  public static MemorySegment allocateDefault(long sizeBytes) {
    return Arena.ofAuto().allocate(sizeBytes, ALIGNMENT);
  }
}
