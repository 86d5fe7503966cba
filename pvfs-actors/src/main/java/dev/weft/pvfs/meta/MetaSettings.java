package dev.weft.pvfs.meta;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;

/**
 * Settings of the connection to the manager, {@code weft.pvfs.client}; reference.conf explains each.
 *
 * @param credits requests that the client asks to have under way
 * @param callsMax requests that may wait or be under way
 * @param reconnectNs time between attempts to reach the manager
 * @param patienceNs how long a request waits for an unreachable manager before it fails with ETIMEDOUT
 */
record MetaSettings(RoleContext context, int credits, int callsMax, long reconnectNs, long patienceNs) {
  private static final String PATH = "weft.pvfs.client";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  MetaSettings {
    LIMITS.check("meta-credits", credits, 2, 256); // One of them waits for events.
    LIMITS.check("tasks-max", callsMax, 1, 1 << 20);
  }

  static MetaSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new MetaSettings(RoleContext.of(PATH, section), section.getInt("meta-credits"), section.getInt("tasks-max"),
        section.getDuration("reconnect").toNanos(), section.getDuration("patience").toNanos());
  }
}
