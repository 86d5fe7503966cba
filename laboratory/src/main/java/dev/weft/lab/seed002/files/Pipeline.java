package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** One client and one I/O node move 32 MB in one request, which the daemon cuts into transfers (seed 002 section 6.6). */
final class Pipeline {
  static final int SMALLEST_UNIT = 64 << 10;
  static final int LARGEST_UNIT = 8 << 20;
  private static final int BYTES = 32 << 20;
  private static final long ZONE_BYTES = 256L << 20;

  private Pipeline() {}

  static Contiguous.Result run(HardwareProfile profile, long seed, Files files, int unitBytes) {
    Setup setup = new Setup(Transport.VERBS, files, 1, 1).with("weft.pvfs.daemon.transfer", unitBytes).with("weft.pvfs.client.request", BYTES)
        .with("weft.pvfs.client.window", BYTES).with("weft.pvfs.daemon.zones", ZONE_BYTES).with("weft.pvfs.daemon.direct-buffers", 0);
    try (FileCluster cluster = new FileCluster(profile, seed, setup)) {
      MemorySegment memory = cluster.compute().getFirst().memory(BYTES);
      cluster.run(List.of(List.of(Access.of(true, 0, memory.asSlice(0, SMALLEST_UNIT)), Access.of(true, 0, memory))));
      Took write = cluster.run(List.of(List.of(Access.of(true, 0, memory))));
      return new Contiguous.Result(write, cluster.run(List.of(List.of(Access.of(false, 0, memory)))));
    }
  }
}
