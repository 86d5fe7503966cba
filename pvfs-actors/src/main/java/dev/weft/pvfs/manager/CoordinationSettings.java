package dev.weft.pvfs.manager;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;

/**
 * Settings of locks and leases, {@code weft.pvfs.manager}; reference.conf explains each.
 *
 * @param leaseNs how long a client may use its cache without hearing from the manager
 * @param leasesMax inodes that a client may cache
 * @param locksMax ranges that a client may hold or wait for
 * @param deferredMax locks of a client that wait until clients of the previous manager have come back: half of its credits
 */
public record CoordinationSettings(long leaseNs, int leasesMax, int locksMax, int deferredMax) {
  private static final String PATH = "weft.pvfs.manager";
  private static final Check.Section LIMITS = new Check.Section(PATH);
  /** A client that waits for events is answered after this part of a lease, so it can ask again in time. */
  private static final int WAITS = 4;

  public CoordinationSettings {
    LIMITS.check("lease", leaseNs, 100_000_000L, 600_000_000_000L);
    LIMITS.check("leases-max", leasesMax, 1, 1 << 22);
    LIMITS.check("locks-max", locksMax, 1, 1 << 20);
  }

  static CoordinationSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new CoordinationSettings(section.getDuration("lease").toNanos(), section.getInt("leases-max"), section.getInt("locks-max"),
        section.getInt("credits") / 2);
  }

  long waitNs() {
    return leaseNs / WAITS;
  }
}
