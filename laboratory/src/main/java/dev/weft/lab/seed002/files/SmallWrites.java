package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Small writes of one client to one I/O node (seed 002 section 6.5): how long one takes by each scheme. */
final class SmallWrites {
  /** How data moves, and whether its memory is registered. */
  enum Scheme {
    INLINE("inline", "inline", "pin-down-cache", true),
    FAST("Fast RDMA", "fast", "pin-down-cache", true),
    SERVER("server-based, 100% hit", "server", "pin-down-cache", true),
    FAST_MISS("Fast RDMA, 0% hit", "fast", "pin-down-cache", false),
    SERVER_MISS("server-based, 0% hit", "server", "pin-down-cache", false),
    SERVER_FMRD("server-based, 0% hit + FMRD", "server", "fmrd", false);

    final String text;
    private final String band;
    private final String registration;
    private final boolean isKept;

    Scheme(String text, String band, String registration, boolean isKept) {
      this.text = text;
      this.band = band;
      this.registration = registration;
      this.isKept = isKept;
    }
  }

  static final int SMALLEST = 128;
  static final int LARGEST = 256 << 10;
  private static final int INLINE_MAX = 32 << 10;
  /** Registrations that are kept; as many writes come before those that count. */
  private static final int ENTRIES = 64;

  private SmallWrites() {}

  /** Longest write of a scheme. */
  static int largest(Scheme scheme) {
    return scheme == Scheme.INLINE ? 2 * INLINE_MAX : LARGEST;
  }

  /** Nanoseconds of one write, the mean of so many. */
  static double ns(HardwareProfile profile, long seed, Files files, Scheme scheme, int bytes, int writes) {
    Setup setup = new Setup(Transport.VERBS, files, 1, 1).with("weft.pvfs.client.band", scheme.band)
        .with("weft.pvfs.client.registration", scheme.registration).with("weft.pvfs.client.registration-entries", ENTRIES)
        .with("weft.pvfs.client.inline", INLINE_MAX).with("weft.pvfs.daemon.inline", INLINE_MAX)
        .with("weft.pvfs.client.fast", LARGEST).with("weft.pvfs.daemon.fast", LARGEST).with("weft.pvfs.daemon.transfer", LARGEST);
    if (scheme == Scheme.INLINE) {
      setup = setup.with("weft.pvfs.client.request", INLINE_MAX);
    }
    try (FileCluster cluster = new FileCluster(profile, seed, setup)) {
      MemorySegment pool = cluster.compute().getFirst().memory(scheme.isKept ? 2L * LARGEST : (long) (ENTRIES + writes) * LARGEST);
      List<Access> before = new ArrayList<>();
      List<Access> counted = new ArrayList<>();
      if (scheme.isKept) {
        before.add(Access.of(true, 0, pool)); // Too long for anything but the server's RDMA: it registers the buffer.
      }
      for (int i = 0; i < ENTRIES + writes; i++) {
        MemorySegment memory = pool.asSlice(scheme.isKept ? 0 : (long) i * LARGEST, bytes);
        (i < ENTRIES ? before : counted).add(Access.of(true, 0, memory));
      }
      cluster.run(List.of(before));
      return (double) cluster.run(List.of(counted)).ns() / writes;
    }
  }
}
