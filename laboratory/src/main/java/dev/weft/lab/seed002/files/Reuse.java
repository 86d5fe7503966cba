package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Writes of one client to one I/O node from a pool of buffers, of which each is used as often as a hit ratio says (seed 002 section 6.7). */
final class Reuse {
  private Reuse() {}

  /**
   * Nanoseconds of a write.
   *
   * @param registration as {@code weft.pvfs.client.registration}
   * @param entries registrations that are kept
   * @param buffers the number of the buffer that each write uses
   */
  static double ns(HardwareProfile profile, long seed, Files files, String registration, int entries, int bytes, int[] buffers) {
    Setup setup = new Setup(Transport.VERBS, files, 1, 1).with("weft.pvfs.client.band", "server").with("weft.pvfs.client.registration", registration)
        .with("weft.pvfs.client.registration-entries", entries);
    try (FileCluster cluster = new FileCluster(profile, seed, setup)) {
      MemorySegment pool = cluster.compute().getFirst().memory((long) bytes * buffers.length);
      if (registration.equals("static")) {
        cluster.run(List.of(List.of(Access.of(true, 0, pool)))); // From now on all of it is registered.
      }
      List<Access> writes = new ArrayList<>();
      for (int buffer : buffers) {
        writes.add(Access.of(true, 0, pool.asSlice((long) buffer * bytes, bytes)));
      }
      return (double) cluster.run(List.of(writes)).ns() / buffers.length;
    }
  }
}
