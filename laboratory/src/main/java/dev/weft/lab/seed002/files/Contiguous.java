package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** pvfs-test (seed 002 section 6.3): each compute node writes, then reads, a region of its own of 2 MB for each I/O node. */
final class Contiguous {
  private static final long REGION_BYTES = 2L << 20;

  /** What the second of two rounds took: by then buffers are registered, and the file is there. */
  record Result(Took write, Took read) {}

  private Contiguous() {}

  static Result run(HardwareProfile profile, long seed, Setup setup) {
    try (FileCluster cluster = new FileCluster(profile, seed, setup)) {
      long bytes = REGION_BYTES * setup.ioNodes();
      List<MemorySegment> memory = cluster.compute().stream().map(node -> node.memory(bytes)).toList();
      Result result = null;
      for (int round = 0; round < 2; round++) {
        result = new Result(cluster.run(accesses(true, bytes, memory)), cluster.run(accesses(false, bytes, memory)));
      }
      return result;
    }
  }

  private static List<List<Access>> accesses(boolean isWrite, long bytes, List<MemorySegment> memory) {
    List<List<Access>> all = new ArrayList<>();
    for (int rank = 0; rank < memory.size(); rank++) {
      all.add(List.of(Access.of(isWrite, rank * bytes, memory.get(rank))));
    }
    return all;
  }
}
