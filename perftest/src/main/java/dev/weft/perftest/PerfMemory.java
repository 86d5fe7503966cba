package dev.weft.perftest;

import dev.weft.hca.Access;
import dev.weft.hca.Hca;
import dev.weft.hca.MemoryRegion;
import dev.weft.hca.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Registered memory of one side of one connection. */
final class PerfMemory implements AutoCloseable {
  private final Hca hca;
  private final Arena arena = Arena.ofShared();
  final MemorySegment segment;
  final MemoryRegion region;

  PerfMemory(Hca hca, ProtectionDomain pd, long sizeBytes) {
    this.hca = hca;
    segment = hca.allocMemory(arena, sizeBytes);
    region = hca.regMr(pd, segment, Access.ALL);
  }

  @Override
  public void close() {
    hca.deregMr(region);
    arena.close();
  }
}
