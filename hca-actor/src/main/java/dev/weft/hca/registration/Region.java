package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;

/** One registered range and its users. */
final class Region {
  final MemorySegment memory;
  final int access;
  final RegisteredMemory keys;
  final long number;
  int users;
  /** Whether its memory was freed while in use. Lookups no longer find such a region, and its last user deregisters it. */
  boolean isDoomed;

  /** Creates a region. It keeps the segment, so memory of an automatic arena lives as long as its registration. */
  Region(MemorySegment memory, int access, RegisteredMemory keys, long number) {
    this.memory = memory;
    this.access = access;
    this.keys = keys;
    this.number = number;
  }

  long start() {
    return memory.address();
  }

  long end() {
    return memory.address() + memory.byteSize();
  }

  long bytes() {
    return memory.byteSize();
  }

  boolean overlaps(long from, long to) {
    return start() < to && from < end();
  }

  /** Whether the scope of the memory is alive and the keys are valid. */
  boolean isLive() {
    return memory.scope().isAlive() && keys.isValid();
  }

  /**
   * Whether the registration serves a request. Memory of another scope at the same address is different memory: the registered memory was freed without
   * a call of {@code invalidate}.
   */
  boolean serves(MemorySegment wanted, int wantedAccess) {
    return start() <= wanted.address() && wanted.address() + wanted.byteSize() <= end() && (wantedAccess & ~access) == 0 && isLive()
        && memory.scope().equals(wanted.scope());
  }
}
