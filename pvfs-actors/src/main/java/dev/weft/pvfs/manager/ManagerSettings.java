package dev.weft.pvfs.manager;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;
import dev.weft.pvfs.layout.StripingWish;

/**
 * Settings of the manager, {@code weft.pvfs.manager}; reference.conf says what each is for.
 *
 * @param context who runs it; null for whichever its store allows
 * @param credits requests of one client that may be under way
 * @param clientsMax connections at a time
 * @param keepNs how long a client that has lost its connection may stay away
 * @param graceNs how long a manager that starts again waits for clients before it closes what they had open
 * @param capabilityNs how long what a client was allowed holds, before it is asked for anew
 * @param count daemons of a file that is made without a wish; 0 for all
 * @param stripeBytes of such a file
 * @param coordination of locks and leases
 */
public record ManagerSettings(RoleContext context, int credits, int clientsMax, long keepNs, long graceNs, long capabilityNs, int count, int stripeBytes,
    CoordinationSettings coordination) {
  private static final String PATH = "weft.pvfs.manager";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  public ManagerSettings {
    LIMITS.check("credits", credits, 2, 256); // One waits for events.
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
   * Who runs a manager.
   *
   * @param usual where nothing else is said: {@link RoleContext#BLOCKING} if its store waits for a disk
   * @throws IllegalArgumentException if it would wait where it must not
   */
  RoleContext contextOf(RoleContext usual) {
    if (usual == RoleContext.BLOCKING && context == RoleContext.ISR) {
      throw new IllegalArgumentException(PATH + ".context is isr, must be auto or blocking where the metadata lie on a disk: the hardware would wait for it");
    }
    return context == null ? usual : context;
  }

  /** What files and directories get that nobody has a wish for. */
  StripingWish defaults() {
    return new StripingWish(StripingWish.ANY, count == 0 ? StripingWish.ANY : count, stripeBytes);
  }
}
