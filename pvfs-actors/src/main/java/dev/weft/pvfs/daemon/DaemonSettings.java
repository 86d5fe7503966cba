package dev.weft.pvfs.daemon;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;

/**
 * Settings of an I/O daemon, {@code weft.pvfs.daemon}; reference.conf says what each is for.
 *
 * @param memoryBytes for stripes, if they lie in memory
 * @param credits requests of one client that may be under way
 * @param clientsMax connections at a time
 * @param inlineBytes longest data in a message
 * @param fastBytes longest data in a lent buffer
 * @param fastSlots buffers lent to each client
 * @param transferBytes longest RDMA request
 * @param directBuffers of {@code transferBytes}, for clients that move data themselves
 * @param keepNs how long a client that has disconnected is remembered, so that what it sends again is not done again
 */
public record DaemonSettings(RoleContext context, long memoryBytes, int credits, int clientsMax, int inlineBytes, int fastBytes, int fastSlots,
    int transferBytes, int directBuffers, long keepNs) {
  private static final Check.Section LIMITS = new Check.Section("weft.pvfs.daemon");

  public DaemonSettings {
    LIMITS.check("memory", memoryBytes, StripeMemory.CHUNK_BYTES, 1L << 46);
    LIMITS.check("credits", credits, 1, 1024);
    LIMITS.check("clients-max", clientsMax, 1, 4096);
    LIMITS.check("inline", inlineBytes, 0, 32_768);
    LIMITS.check("fast", fastBytes, 0, 1 << 20);
    LIMITS.check("fast-slots", fastSlots, 0, 254);
    LIMITS.check("transfer", transferBytes, 4096, 1 << 21);
    LIMITS.check("direct-buffers", directBuffers, 0, 1024);
    LIMITS.check("keep", keepNs, 1_000_000, 3_600_000_000_000L);
  }

  /** From {@code weft.pvfs.daemon} of a configuration. */
  public static DaemonSettings from(Config config) {
    Config section = config.getConfig("weft.pvfs.daemon");
    return new DaemonSettings(RoleContext.of("weft.pvfs.daemon", section), section.getBytes("memory"), section.getInt("credits"),
        section.getInt("clients-max"), section.getBytes("inline").intValue(), section.getBytes("fast").intValue(), section.getInt("fast-slots"),
        section.getBytes("transfer").intValue(), section.getInt("direct-buffers"),
        section.getDuration("keep").toNanos());
  }
}
