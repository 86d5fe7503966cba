package dev.weft.pager.service;

import dev.weft.fabric.memory.AvailableMemory;
import dev.weft.pager.Registration;
import dev.weft.pager.server.ServerSettings;
import dev.weft.service.CommandFailure;

/** Refuses to offer memory that this machine does not have, or others use: it is all touched at start. */
final class MachineMemory {
  /** Of the machine, and of what is available: with less left than that it reads its programs from disk again and again. */
  private static final double OFFERED_MAX = 0.9;
  /** What a JVM takes besides: 170 MiB were measured, and 60 for a media driver. */
  private static final long JVM_BYTES = 256L << 20;

  private MachineMemory() {}

  /** Physical memory that a server of those settings takes if it lends {@code lentBytes}. */
  static long ofServer(long lentBytes, ServerSettings server) {
    return (server.registration() == Registration.UNPINNED ? Math.min(lentBytes, server.residentBytes()) : lentBytes)
        + (server.store() == ServerSettings.Store.STAGED ? (long) server.stagingSlots() * server.maxRequestBytes() : 0);
  }

  /**
   * Checks what this process, and others that it is about to start, will take.
   *
   * @param serverBytes of each memory server
   * @param jvms that are about to start, of all servers
   * @throws CommandFailure if there is not so much
   */
  static void check(long serverBytes, int servers, int jvms) {
    String refusal = refusal(serverBytes, servers, jvms, AvailableMemory.totalBytes(), AvailableMemory.bytes());
    if (refusal != null) {
      throw new CommandFailure(refusal);
    }
  }

  /** Why it cannot be; null if it can. */
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
