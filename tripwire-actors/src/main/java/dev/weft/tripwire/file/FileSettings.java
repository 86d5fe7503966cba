package dev.weft.tripwire.file;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * Settings of the file service ({@code weft.tripwire.file}), checked.
 *
 * @param port port of the server's endpoint
 * @param transferMaxBytes maximum bytes of one read or write
 * @param sessionsMax maximum number of clients of a server
 * @param handlesMax maximum number of files with handles
 * @param leaseNs how long an unused session lives
 * @param callTimeoutNs how long a client waits for a reply
 * @param spinNs how long both sides poll before they sleep
 */
public record FileSettings(int port, int transferMaxBytes, int sessionsMax, int handlesMax, long leaseNs, long callTimeoutNs, long spinNs) {
  private static final Check.Section LIMITS = new Check.Section("weft.tripwire.file");

  public FileSettings {
    LIMITS.check("port", port, 1, 65_535);
    LIMITS.check("transfer-max", transferMaxBytes, 4096, 1 << 24);
    LIMITS.check("sessions-max", sessionsMax, 1, 4096);
    LIMITS.check("handles-max", handlesMax, 2, 1 << 24);
    LIMITS.check("lease (in ns)", leaseNs, 1_000_000, TimeUnit.DAYS.toNanos(1));
    LIMITS.check("call-timeout (in ns)", callTimeoutNs, 1_000_000, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("spin (in ns)", spinNs, 0, TimeUnit.SECONDS.toNanos(1));
  }

  /** Reads {@code weft.tripwire.file} of {@code config}. */
  public static FileSettings from(Config config) {
    Config c = config.getConfig("weft.tripwire.file");
    return new FileSettings(c.getInt("port"), Check.bytes(c, "transfer-max"), c.getInt("sessions-max"), c.getInt("handles-max"),
        c.getDuration("lease", TimeUnit.NANOSECONDS), c.getDuration("call-timeout", TimeUnit.NANOSECONDS),
        c.getDuration("spin", TimeUnit.NANOSECONDS));
  }
}
