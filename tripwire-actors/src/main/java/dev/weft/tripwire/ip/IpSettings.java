package dev.weft.tripwire.ip;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * Settings of IP over CLAN ({@code weft.tripwire.ip}), checked.
 *
 * @param port port of the listening endpoint
 * @param mtuBytes size of the longest packet
 * @param buffers buffers that a receiver offers to each transmitter
 * @param transmitBuffers packets on their way from the kernel to the network
 * @param queuePackets packets that wait for one neighbour
 * @param linksMax maximum number of links in each direction
 * @param connectTimeoutNs how long setting up a link may take
 * @param retryDelayNs delay after a failure
 * @param checkIntervalNs how often links are checked
 */
public record IpSettings(int port, int mtuBytes, int buffers, int transmitBuffers, int queuePackets, int linksMax, long connectTimeoutNs,
    long retryDelayNs, long checkIntervalNs) {
  private static final Check.Section LIMITS = new Check.Section("weft.tripwire.ip");
  /** Maximum size of an IP packet. */
  static final int MTU_MAX = 65_535;

  public IpSettings {
    LIMITS.check("port", port, 1, 65_535);
    LIMITS.check("mtu", mtuBytes, 68, MTU_MAX);
    LIMITS.check("buffers", buffers, 1, Wire.SLOTS_MAX - 1);
    LIMITS.check("transmit-buffers", transmitBuffers, 1, 65_536);
    LIMITS.check("queue-packets", queuePackets, 1, 65_536);
    LIMITS.check("links-max", linksMax, 1, 4096);
    LIMITS.check("connect-timeout (in ns)", connectTimeoutNs, 1_000, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("retry-delay (in ns)", retryDelayNs, 1_000, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("check-interval (in ns)", checkIntervalNs, 1_000, TimeUnit.HOURS.toNanos(1));
  }

  /** Reads {@code weft.tripwire.ip} of {@code config}. */
  public static IpSettings from(Config config) {
    Config c = config.getConfig("weft.tripwire.ip");
    return new IpSettings(c.getInt("port"), Check.bytes(c, "mtu"), c.getInt("buffers"), c.getInt("transmit-buffers"),
        c.getInt("queue-packets"), c.getInt("links-max"), c.getDuration("connect-timeout", TimeUnit.NANOSECONDS),
        c.getDuration("retry-delay", TimeUnit.NANOSECONDS), c.getDuration("check-interval", TimeUnit.NANOSECONDS));
  }
}
