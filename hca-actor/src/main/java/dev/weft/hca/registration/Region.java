package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;

/** One registered range and its users. */
final class Region {
  final MemorySegment memory;
  final int access;
  final RegisteredMemory keys;
  final long number;
  int users;
  /** Its memory was freed while it was used: nobody finds it any more, the last user takes it along. */
  boolean isDoomed;

  /** Holds the segment, so memory of an automatic arena lives as long as its registration. */
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

  /** Whether the memory is still what was registered, as far as can be seen from here. */
  boolean isLive() {
    return memory.scope().isAlive() && keys.isValid();
  }

  /**
   * Whether the registration serves a request. Memory of another scope at the same address is other memory: the former one was freed in
   * a way that nobody told of.
   */
  boolean serves(MemorySegment wanted, int wantedAccess) {
    return start() <= wanted.address() && wanted.address() + wanted.byteSize() <= end() && (wantedAccess & ~access) == 0 && isLive()
        && memory.scope().equals(wanted.scope());
  }
}
