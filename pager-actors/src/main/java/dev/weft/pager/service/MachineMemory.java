package dev.weft.pager.service;

import dev.weft.fabric.memory.AvailableMemory;
import dev.weft.pager.Registration;
import dev.weft.pager.server.ServerSettings;
import dev.weft.service.CommandFailure;

/** Rejects memory servers for which this machine lacks memory, because they touch all their memory at start. */
final class MachineMemory {
  /** The usable share of the total and of the available memory. With less than a tenth left, the machine reads its programs from disk repeatedly. */
  private static final double OFFERED_MAX = 0.9;
  /** The memory that a JVM needs in addition: 170 MiB were measured, and 60 MiB for a media driver. */
  private static final long JVM_BYTES = 256L << 20;

  private MachineMemory() {}

  /** Returns the physical memory of a server with these settings that lends {@code lentBytes}. */
  static long ofServer(long lentBytes, ServerSettings server) {
    return (server.registration() == Registration.UNPINNED ? Math.min(lentBytes, server.residentBytes()) : lentBytes)
        + (server.store() == ServerSettings.Store.STAGED ? (long) server.stagingSlots() * server.maxRequestBytes() : 0);
  }

  /**
   * Checks that the machine has enough memory for this process and for those that it is about to start.
   *
   * @param serverBytes memory of each memory server
   * @param jvms number of JVMs that are about to start for all servers together
   * @throws CommandFailure if the memory is not enough
   */
  static void check(long serverBytes, int servers, int jvms) {
    String refusal = refusal(serverBytes, servers, jvms, AvailableMemory.totalBytes(), AvailableMemory.bytes());
    if (refusal != null) {
      throw new CommandFailure(refusal);
    }
  }

  /** Returns the reason why the memory is not enough; null if it is enough. */
  static String refusal(long serverBytes, int servers, int jvms, long totalBytes, long availableBytes) {
    long wanted = serverBytes > Long.MAX_VALUE / servers ? Long.MAX_VALUE : serverBytes * servers;
    if (wanted > totalBytes * OFFERED_MAX) {
      return wish(wanted, 0) + ", this machine has " + mib(totalBytes) + " MiB; choose a smaller --memory or fewer --servers";
    }
    if (wanted + jvms * JVM_BYTES > availableBytes * OFFERED_MAX) {
      return wish(wanted, jvms) + ", of " + mib(totalBytes) + " MiB of this machine " + mib(availableBytes)
          + " MiB are available to this process now, of which nine tenths may be taken; choose a smaller --memory or fewer --servers,"
          + " or end what uses the rest";
    }
    return null;
  }

  private static String wish(long wantedBytes, int jvms) {
    return "the memory servers would take " + mib(wantedBytes) + " MiB" + (jvms == 0 ? "" : " and the JVMs about " + mib(jvms * JVM_BYTES));
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
