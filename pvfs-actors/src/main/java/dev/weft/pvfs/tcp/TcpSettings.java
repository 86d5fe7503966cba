package dev.weft.pvfs.tcp;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;

/**
 * Settings of the TCP transport, {@code weft.pvfs.tcp}; reference.conf says what each is for.
 *
 * @param listen "host:port"; "" if nobody is let in
 * @param secretFile that who connects must know; "" for the one of the state directory
 * @param allowsNonLoopback whether {@code listen} may be reached from other hosts
 * @param handshakesMax connections at a time that have not shown the secret
 * @param handshakeNs that these have for it, and a client waits for an answer
 * @param stalledNs that the other side may take nothing of what waits for it before the connection fails
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

  /** Whether clients of TCP are let in. */
  public boolean listens() {
    return !listen.isBlank();
  }
}
