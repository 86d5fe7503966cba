package dev.weft.dsm.release;

import com.typesafe.config.Config;

/**
 * Settings of updates by multicast ({@code weft.dsm.release.multicast}); {@code reference.conf} explains them.
 *
 * @param isEnabled whether this node joins the group of its space, and sends to it
 * @param copiesMin least number of receivers of a batch that is sent to the group
 * @param waitNs how long the sender waits for answers before it asks for them
 * @param buffers number of buffers for incoming datagrams, and as many for outgoing ones
 */
public record MulticastSettings(boolean isEnabled, int copiesMin, long waitNs, int buffers) {
  /** All updates go on the connections. */
  public static final MulticastSettings OFF = new MulticastSettings(false, 2, 1_000_000, 128);
  private static final String PATH = "weft.dsm.release.multicast";

  public MulticastSettings {
    check("copies", copiesMin, 1, Staging.NODES_MAX);
    check("wait", waitNs, 10_000, 1_000_000_000);
    check("buffers", buffers, 1, 4096);
  }

  private static void check(String key, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(PATH + "." + key + " is " + value + ", must be from " + min + " to " + max);
    }
  }

  /** Reads the settings. */
  public static MulticastSettings from(Config section) {
    return new MulticastSettings(section.getBoolean("enabled"), section.getInt("copies"), section.getDuration("wait").toNanos(), section.getInt("buffers"));
  }

  /** The same settings, enabled or not. */
  public MulticastSettings with(boolean enabled) {
    return new MulticastSettings(enabled, copiesMin, waitNs, buffers);
  }
}
