package dev.weft.pvfs.manager;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.node.RoleContext;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;

/**
 * Settings of the manager, {@code weft.pvfs.manager}; reference.conf explains each.
 *
 * @param context the thread that runs it; null for the default of its store
 * @param credits requests of one client that may be under way
 * @param clientsMax connections at a time
 * @param keepNs how long a client may stay away after it has lost its connection
 * @param graceNs how long a restarted manager waits for clients before it closes their files
 * @param capabilityNs life of a capability, before the client must renew it
 * @param count daemons of a file that is made without a wish; 0 for all
 * @param stripeBytes stripe size of such a file
 * @param coordination of locks and leases
 */
public record ManagerSettings(RoleContext context, int credits, int clientsMax, long keepNs, long graceNs, long capabilityNs, int count, int stripeBytes,
    CoordinationSettings coordination) {
  private static final String PATH = "weft.pvfs.manager";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  public ManagerSettings {
    LIMITS.check("credits", credits, 2, 256); // One of them waits for events.
    LIMITS.check("clients-max", clientsMax, 1, 4096);
    LIMITS.check("keep", keepNs, 1_000_000L, 3_600_000_000_000L);
    LIMITS.check("grace", graceNs, 0, 3_600_000_000_000L);
    LIMITS.check("capability", capabilityNs, 1_000_000_000L, 86_400_000_000_000L);
    LIMITS.check("stripe-count", count, 0, 512);
    LIMITS.check("stripe-size", stripeBytes, 1, 1 << 30);
  }

  /** From {@code weft.pvfs.manager} of a configuration. */
  public static ManagerSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new ManagerSettings(RoleContext.orAuto(PATH, section), section.getInt("credits"), section.getInt("clients-max"),
        section.getDuration("keep").toNanos(), section.getDuration("grace").toNanos(), section.getDuration("capability").toNanos(),
        section.getInt("stripe-count"), Check.bytes(section, "stripe-size"), CoordinationSettings.from(config));
  }

  /**
   * Returns the thread that runs a manager.
   *
   * @param usual default of its store: {@link RoleContext#BLOCKING} if the store waits for a disk
   * @throws IllegalArgumentException if the configured thread must not wait for a disk
   */
  RoleContext contextOf(RoleContext usual) {
    if (usual == RoleContext.BLOCKING && context == RoleContext.ISR) {
      throw new IllegalArgumentException(PATH + ".context is isr, must be auto or blocking where the metadata lie on a disk: the hardware would wait for it");
    }
    return context == null ? usual : context;
  }

  /** Requests and replies have the same maximum length. */
  ChannelSettings channel() {
    return new ChannelSettings(Math.max(MetaRequest.BYTES_MAX, MetaReply.BYTES_MAX), Math.max(4, credits), credits, 0);
  }

  /** The striping of files and directories without a wish. */
  StripingWish defaults() {
    return new StripingWish(StripingWish.ANY, count == 0 ? StripingWish.ANY : count, stripeBytes);
  }
}
