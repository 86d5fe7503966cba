package dev.weft.dsm.release;

import com.typesafe.config.Config;

/**
 * How changes go by datagrams to all copies at a time ({@code weft.dsm.release.multicast}); what it means is said in {@code reference.conf}.
 *
 * @param isEnabled whether this node joins the group of its space, and sends to it
 * @param copiesMin nodes that a batch must be for, at least, to be sent so
 * @param waitNs how long answers are waited for until those that have not come are asked for
 * @param buffers for datagrams that come, and for those that leave
 */
public record MulticastSettings(boolean isEnabled, int copiesMin, long waitNs, int buffers) {
  /** All goes on the connections. */
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

  /** Reads them. */
  public static MulticastSettings from(Config section) {
    return new MulticastSettings(section.getBoolean("enabled"), section.getInt("copies"), section.getDuration("wait").toNanos(), section.getInt("buffers"));
  }

  /** The same, used or not. */
  public MulticastSettings with(boolean enabled) {
    return new MulticastSettings(enabled, copiesMin, waitNs, buffers);
  }
}
