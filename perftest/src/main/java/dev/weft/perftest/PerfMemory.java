package dev.weft.perftest;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
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
