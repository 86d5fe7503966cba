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
 * The memory that a server lends in areas. It is registered once. It is either pinned memory, allocated and touched, or virtual memory of the
 * host, which can be read only through its address space.
 */
final class PagerStore {
  private static final int PAGE_BYTES = 4096;

  private final MemorySegment memory;
  /** The address space; null for pinned memory, like the next field. */
  private final AddressSpace space;
  private final MemorySegment zeros;
  private final MemoryRegion mr;
  private final RegionAllocator allocator;
  private final MemorySegment staging;
  private final MemoryRegion stagingMr;
  /** The end of the memory that was lent before and is not known to be zero. */
  private long dirtyEnd;

  /** Creates and registers the memory. {@code vm} is the host's virtual memory, attached to {@code hca}; only for unpinned memory. */
  PagerStore(Hca hca, ProtectionDomain pd, ServerSettings settings, HostVm vm) {
    boolean isUnpinned = settings.registration() == Registration.UNPINNED;
    if (isUnpinned && vm == null) {
      throw new IllegalArgumentException("weft.pager.server.registration is unpinned, but the host has no virtual memory");
    }
    space = isUnpinned ? vm.createSpace() : null;
    zeros = isUnpinned ? Arena.ofAuto().allocate(settings.maxRequestBytes(), PAGE_BYTES) : null;
    // An automatic arena, because packets in flight may refer to this memory after the server has stopped.
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

  /** The pinned memory; virtual memory cannot be read directly. */
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

  /** Allocates an area; returns its start, or {@link RegionAllocator#NONE}. */
  long allocate(long bytes) {
    return bytes > allocator.sizeBytes() ? RegionAllocator.NONE : allocator.allocate(bytes);
  }

  /** Creates the map of a new area, in which all blocks are holes. It zeroes virtual memory by {@code zeroing}. */
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
      // If the host has lost the page, the next transfer to or from it reports that.
      zeroing.begin(ended -> space.write(space.base() + at, zeros.asSlice(0, length), done -> ended.run()));
    }
  }

  void free(long start, long bytes) {
    allocator.free(start, bytes);
  }

  /** Whether bytes of a range are lost because the host could not store their page. */
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
