package dev.weft.pvfs.tcp;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;

/**
 * Settings of the TCP transport, {@code weft.pvfs.tcp}; reference.conf explains each.
 *
 * @param listen "host:port"; "" to accept no clients
 * @param secretFile the secret that clients must know; "" for the file in the state directory
 * @param allowsNonLoopback whether other hosts may reach {@code listen}
 * @param handshakesMax connections at a time that have not proved the secret
 * @param handshakeNs time limit for that proof, and for the answer that a client waits for
 * @param stalledNs how long the other side may accept no data before the connection fails
 */
public record TcpSettings(String listen, String secretFile, boolean allowsNonLoopback, int handshakesMax, long handshakeNs, long stalledNs) {
  private static final String PATH = "weft.pvfs.tcp";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  public TcpSettings {
    LIMITS.check("handshakes-max", handshakesMax, 1, 4096);
    LIMITS.check("handshake", handshakeNs, 10_000_000L, 60_000_000_000L);
    LIMITS.check("stalled", stalledNs, 10_000_000L, 3_600_000_000_000L);
  }

  /** From {@code weft.pvfs.tcp} of a configuration. */
  public static TcpSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new TcpSettings(section.getString("listen"), section.getString("secret-file"), section.getBoolean("allow-non-loopback"),
        section.getInt("handshakes-max"), section.getDuration("handshake").toNanos(),
        section.getDuration("stalled").toNanos());
  }

  /** Whether TCP clients are accepted. */
  public boolean listens() {
    return !listen.isBlank();
  }
}
