package dev.weft.pager.nbd;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.fabric.tls.TlsFiles;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The settings of the NBD front end, section {@code weft.pager.nbd}; {@code reference.conf} explains each setting.
 *
 * @param listen addresses, each {@code host:port}, {@code [v6]:port} or {@code unix:PATH}
 * @param tls whether clients may or must use TLS
 * @param tlsVerifyClient whether a client must show a certificate
 * @param tlsFiles the certificate files; null with TLS off
 */
public record NbdSettings(List<String> listen, boolean allowNonLoopback, Tls tls, boolean tlsVerifyClient, TlsFiles tlsFiles,
    int connectionsMax, int inFlightMax, int inFlightBytesMax, int payloadBytesMax, int optionBytesMax, int optionsMax, int extentsMax, int socketBufferBytes,
    long handshakeTimeoutNs, long stallTimeoutNs,
    long shutdownTimeoutNs, long spinNs, long helpNs) {
  private static final String SECTION = "weft.pager.nbd";
  private static final Check.Section LIMITS = new Check.Section(SECTION);

  /** The use of TLS. NBD's terms are NOTLS, SELECTIVETLS (without exports that require TLS) and FORCEDTLS. */
  public enum Tls {
    OFF,
    ON,
    REQUIRE
  }

  public NbdSettings {
    listen = List.copyOf(listen);
    LIMITS.check("connections-max", connectionsMax, 1, 4096);
    LIMITS.check("in-flight-max", inFlightMax, 1, 4096);
    LIMITS.check("in-flight-bytes-max", inFlightBytesMax, 4096, 1 << 30);
    LIMITS.check("payload-bytes-max", payloadBytesMax, 65536, 1 << 30);
    LIMITS.check("option-bytes-max", optionBytesMax, 4096 + 16, 1 << 20);
    LIMITS.check("options-max", optionsMax, 8, 1 << 20);
    LIMITS.check("extents-max", extentsMax, 1, 1 << 20);
    LIMITS.check("socket-buffer-bytes", socketBufferBytes, 0, 1 << 26);
    LIMITS.check("handshake-timeout (in ns)", handshakeTimeoutNs, TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.HOURS.toNanos(1));
    LIMITS.check("stall-timeout (in ns)", stallTimeoutNs, TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.HOURS.toNanos(24));
    LIMITS.check("shutdown-timeout (in ns)", shutdownTimeoutNs, 0, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("spin (in ns)", spinNs, 0, TimeUnit.MILLISECONDS.toNanos(10));
    LIMITS.check("help (in ns)", helpNs, 0, TimeUnit.MILLISECONDS.toNanos(100));
  }

  /** Reads and checks {@code weft.pager.nbd}. */
  public static NbdSettings from(Config root) {
    Config c = root.getConfig(SECTION);
    Tls tls = tls(c.getString("tls"));
    return new NbdSettings(
        c.getStringList("listen"),
        c.getBoolean("allow-non-loopback"),
        tls,
        c.getBoolean("tls-verify-client"),
        tls == Tls.OFF ? null : TlsFiles.from(root),
        c.getInt("connections-max"),
        c.getInt("in-flight-max"),
        Check.bytes(c, "in-flight-bytes-max"),
        Check.bytes(c, "payload-bytes-max"),
        Check.bytes(c, "option-bytes-max"),
        c.getInt("options-max"),
        c.getInt("extents-max"),
        Check.bytes(c, "socket-buffer-bytes"),
        c.getDuration("handshake-timeout", TimeUnit.NANOSECONDS),
        c.getDuration("stall-timeout", TimeUnit.NANOSECONDS),
        c.getDuration("shutdown-timeout", TimeUnit.NANOSECONDS),
        c.getDuration("spin", TimeUnit.NANOSECONDS),
        c.getDuration("help", TimeUnit.NANOSECONDS));
  }

  /** Returns the number of device requests with {@code bytes} bytes of data each that may be in flight, 1 to {@link #inFlightMax}. */
  int inFlightMax(int bytes) {
    return Math.clamp(inFlightBytesMax / bytes, 1, inFlightMax);
  }

  /** Whether TLS admits only clients with a certificate of the configured authority. */
  boolean protectedByTls() {
    return tls == Tls.REQUIRE && tlsVerifyClient;
  }

  private static Tls tls(String text) {
    return switch (text) {
      case "off", "false" -> Tls.OFF; // HOCON treats off as false.
      case "on", "true" -> Tls.ON;
      case "require" -> Tls.REQUIRE;
      default -> throw new IllegalArgumentException(SECTION + ".tls is '" + text + "'; it must be off, on or require");
    };
  }
}
