package dev.weft.pager.server;

import dev.weft.fabric.time.Marks;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pager.PagerMark;
import dev.weft.pager.Registration;
import dev.weft.pager.memory.RegionAllocator;
import dev.weft.pager.memory.SparseMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory that a server lends, registered once, given out in areas: pinned memory, allocated and touched, or virtual memory of the
 * host, which nobody can look at but through its address space.
 */
final class PagerStore {
  private static final int PAGE_BYTES = 4096;

  private final MemorySegment memory;
  /** Null for pinned memory, as the next. */
  private final AddressSpace space;
  private final MemorySegment zeros;
  private final MemoryRegion mr;
  private final RegionAllocator allocator;
  private final MemorySegment staging;
  private final MemoryRegion stagingMr;
  /** End of the memory that has been given out before and is not known to be zero. */
  private long dirtyEnd;

  /** {@code vm} is the host's, attached to {@code hca}; used for unpinned memory only. */
  PagerStore(Hca hca, ProtectionDomain pd, ServerSettings settings, HostVm vm) {
    boolean isUnpinned = settings.registration() == Registration.UNPINNED;
    if (isUnpinned && vm == null) {
      throw new IllegalArgumentException("weft.pager.server.registration is unpinned, but the host has no virtual memory");
    }
    space = isUnpinned ? vm.createSpace() : null;
    zeros = isUnpinned ? Arena.ofAuto().allocate(settings.maxRequestBytes(), PAGE_BYTES) : null;
    // Packets in flight may refer to this memory after the server has stopped, hence a collected arena.
    memory = isUnpinned ? space.map(space.base(), settings.memoryBytes()) : hca.allocMemory(Arena.ofAuto(), settings.memoryBytes());
    staging = settings.store() == ServerSettings.Store.STAGED
        ? hca.allocMemory(Arena.ofAuto(), (long) settings.stagingSlots() * settings.maxRequestBytes()) : null;
    allocator = new RegionAllocator(settings.memoryBytes(), PAGE_BYTES);
    try {
      mr = hca.regMr(pd, memory, Access.LOCAL_WRITE | (isUnpinned ? Access.ON_DEMAND : 0));
    } catch (RuntimeException e) {
      unmap();
      throw e;
    }
    try {
      stagingMr = staging == null ? null : hca.regMr(pd, staging, Access.LOCAL_WRITE);
    } catch (RuntimeException e) {
      hca.deregMr(mr);
      throw e;
    }
  }

  private void unmap() {
    if (space != null) {
      space.unmap(space.base(), memory.byteSize(), () -> { });
    }
  }

  MemoryRegion mr() {
    return mr;
  }

  /** Pinned memory; virtual memory cannot be looked at. */
  MemorySegment memory() {
    return memory;
  }

  MemorySegment staging() {
    return staging;
  }

  MemoryRegion stagingMr() {
    return stagingMr;
  }

  boolean isStaged() {
    return staging != null;
  }

  /** Start of a new area, or {@link RegionAllocator#NONE}. */
  long allocate(long bytes) {
    return bytes > allocator.sizeBytes() ? RegionAllocator.NONE : allocator.allocate(bytes);
  }

  /** The map of an area just allocated: all holes. What it zeroes is told to {@code zeroing}. */
  SparseMap map(long start, long bytes, Zeroing zeroing) {
    if (start < dirtyEnd) {
      Marks.hit(PagerMark.SERVER_REUSES_AREA);
    }
    SparseMap map = new SparseMap(bytes, start < dirtyEnd, (offset, length) -> zero(start + offset, length, zeroing));
    dirtyEnd = Math.max(dirtyEnd, start + bytes);
    return map;
  }

  private void zero(long at, long length, Zeroing zeroing) {
    if (space == null) {
      memory.asSlice(at, length).fill((byte) 0);
    } else {
      // If the host has lost the page, whoever moves data there next is told.
      zeroing.begin(ended -> space.write(space.base() + at, zeros.asSlice(0, length), done -> ended.run()));
    }
  }

  void free(long start, long bytes) {
    allocator.free(start, bytes);
  }

  /** Whether bytes of a range are gone because their page could not be kept. */
  boolean hasLost(long start, long bytes) {
    return space != null && space.hasLost(space.base() + start, bytes);
  }

  long freeBytes() {
    return allocator.freeBytes();
  }

  long largestFreeBytes() {
    return allocator.largestFreeBytes();
  }

  void close(Hca hca) {
    hca.deregMr(mr);
    if (stagingMr != null) {
      hca.deregMr(stagingMr);
    }
    unmap();
  }
}
