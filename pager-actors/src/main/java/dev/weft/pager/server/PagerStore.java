package dev.weft.pager.server;

import dev.weft.fabric.time.Marks;
import dev.weft.hca.Access;
import dev.weft.hca.Hca;
import dev.weft.hca.MemoryRegion;
import dev.weft.hca.ProtectionDomain;
import dev.weft.pager.PagerMark;
import dev.weft.pager.memory.RegionAllocator;
import dev.weft.pager.memory.SparseMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The memory that a server lends: allocated, touched and registered once, given out in areas. */
final class PagerStore {
  private static final int PAGE_BYTES = 4096;

  private final MemorySegment memory;
  private final MemoryRegion mr;
  private final RegionAllocator allocator;
  private final MemorySegment staging;
  private final MemoryRegion stagingMr;
  /** End of the memory that has been given out before and is not known to be zero. */
  private long dirtyEnd;

  PagerStore(Hca hca, ProtectionDomain pd, ServerSettings settings) {
    // Packets in flight may refer to this memory after the server has stopped, hence a collected arena. It zeroes, and so touches.
    memory = Arena.ofAuto().allocate(settings.memoryBytes(), PAGE_BYTES);
    staging = settings.store() == ServerSettings.Store.STAGED
        ? Arena.ofAuto().allocate((long) settings.stagingSlots() * settings.maxRequestBytes(), PAGE_BYTES) : null;
    allocator = new RegionAllocator(settings.memoryBytes(), PAGE_BYTES);
    mr = hca.regMr(pd, memory, Access.LOCAL_WRITE);
    try {
      stagingMr = staging == null ? null : hca.regMr(pd, staging, Access.LOCAL_WRITE);
    } catch (RuntimeException e) {
      hca.deregMr(mr);
      throw e;
    }
  }

  MemoryRegion mr() {
    return mr;
  }

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

  /** The map of an area just allocated: all holes. */
  SparseMap map(long start, long bytes) {
    if (start < dirtyEnd) {
      Marks.hit(PagerMark.SERVER_REUSES_AREA);
    }
    SparseMap map = new SparseMap(bytes, start < dirtyEnd, (offset, length) -> memory.asSlice(start + offset, length).fill((byte) 0));
    dirtyEnd = Math.max(dirtyEnd, start + bytes);
    return map;
  }

  void free(long start, long bytes) {
    allocator.free(start, bytes);
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
  }
}
