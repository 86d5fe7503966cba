package dev.weft.fabric.switching;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * Settings of the leaf switch, section {@code weft.fabric.switch} of the configuration.
 *
 * @param portsMax largest number of cables of one switch, 1 to 4096
 * @param virtualLanes lanes of each cable, 1 to 15; every end of every cable must agree
 * @param inputBufferPackets packets that a port buffers for each virtual lane, 1 to 32768
 * @param hoqLifetimeNs nanoseconds that packets wait for an egress credit before they are discarded, 1 us to 1 hour
 * @param losslessLifetimeNs the same for lossless packets; {@code hoqLifetimeNs} to 1 hour
 * @param multicastGroupsMax multicast groups with members behind this switch's ports, 1 to 16383
 * @param burstQuantumBytes bytes of a burst that leave at a time while other ports wait, 0 (all) to 65536
 * @param burstMaxBytes largest payload of a burst that is joined from several, 0 (never joined) to 65536
 * @param paths paths through the switch, of which each packet takes one at random, 1 to 64
 * @param pathSkewNs nanoseconds by which each path is slower than the one before, 0 to 1 s
 * @param cutThrough in virtual time, whether a packet leaves as soon as its head has arrived
 */
public record SwitchSettings(int portsMax, int virtualLanes, int inputBufferPackets, long hoqLifetimeNs, long losslessLifetimeNs,
    int multicastGroupsMax, int burstQuantumBytes, int burstMaxBytes, int paths, long pathSkewNs, boolean cutThrough) {
  private static final String SECTION = "weft.fabric.switch";
  private static final Check.Section LIMITS = new Check.Section(SECTION);
  private static final long LOSSLESS_LIFETIME_NS = TimeUnit.MINUTES.toNanos(1);

  public SwitchSettings {
    LIMITS.check("paths", paths, 1, 64);
    LIMITS.check("path-skew (in ns)", pathSkewNs, 0, TimeUnit.SECONDS.toNanos(1));
    LIMITS.check("ports-max", portsMax, 1, 4096);
    LIMITS.check("virtual-lanes", virtualLanes, 1, 15);
    LIMITS.check("input-buffer-packets", inputBufferPackets, 1, 32768);
    LIMITS.check("multicast-groups-max", multicastGroupsMax, 1, 16383);
    LIMITS.check("burst-quantum", burstQuantumBytes, 0, 65_536);
    LIMITS.check("burst-max", burstMaxBytes, 0, 65_536);
    LIMITS.check("hoq-lifetime (in ns)", hoqLifetimeNs, TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.HOURS.toNanos(1));
    LIMITS.check("lossless-lifetime (in ns)", losslessLifetimeNs, hoqLifetimeNs, TimeUnit.HOURS.toNanos(1));
  }

  /** Uses the burst settings of reference.conf, and one path, which keeps packets in order. */
  public SwitchSettings(int portsMax, int virtualLanes, int inputBufferPackets, long hoqLifetimeNs, int multicastGroupsMax) {
    this(portsMax, virtualLanes, inputBufferPackets, hoqLifetimeNs, Math.max(hoqLifetimeNs, LOSSLESS_LIFETIME_NS), multicastGroupsMax, 512,
        4096, 1, 0, false);
  }

  /** Reads and checks {@code weft.fabric.switch}. */
  public static SwitchSettings from(Config root) {
    Config config = root.getConfig(SECTION);
    return new SwitchSettings(
        config.getInt("ports-max"),
        config.getInt("virtual-lanes"),
        config.getInt("input-buffer-packets"),
        config.getDuration("hoq-lifetime", TimeUnit.NANOSECONDS),
        config.getDuration("lossless-lifetime", TimeUnit.NANOSECONDS),
        config.getInt("multicast-groups-max"),
        Check.bytes(config, "burst-quantum"),
        Check.bytes(config, "burst-max"),
        config.getInt("paths"),
        config.getDuration("path-skew", TimeUnit.NANOSECONDS),
        isCutThrough(config.getString("forwarding")));
  }

  private static boolean isCutThrough(String forwarding) {
    return switch (forwarding) {
      case "cut-through" -> true;
      case "store-and-forward" -> false;
      default -> throw new IllegalArgumentException(
          SECTION + ".forwarding is " + forwarding + "; it must be store-and-forward or cut-through");
    };
  }
}
