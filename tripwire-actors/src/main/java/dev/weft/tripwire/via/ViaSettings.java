package dev.weft.tripwire.via;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * Settings of the VIA provider ({@code weft.tripwire.via}), checked.
 *
 * @param port port of the endpoint for calls
 * @param visMax maximum number of VIs
 * @param queueDepth descriptors of each work queue
 * @param segmentsMax maximum number of segments of a descriptor
 * @param transferMaxBytes upper limit of a VI's longest message
 * @param requestsMax calls that wait for an application
 * @param connectTimeoutNs how long a call waits for an application
 * @param receiveTimeoutNs how long a send waits for a receive
 * @param checkIntervalNs how often connections are checked
 */
public record ViaSettings(int port, int visMax, int queueDepth, int segmentsMax, int transferMaxBytes, int requestsMax, long connectTimeoutNs,
    long receiveTimeoutNs, long checkIntervalNs) {
  private static final Check.Section LIMITS = new Check.Section("weft.tripwire.via");

  public ViaSettings {
    LIMITS.check("port", port, 1, 65_535);
    LIMITS.check("vis-max", visMax, 1, 65_536);
    LIMITS.check("queue-depth", queueDepth, 1, 4096);
    LIMITS.check("segments-max", segmentsMax, 1, 252);
    LIMITS.check("transfer-max", transferMaxBytes, 1, 1 << 30);
    LIMITS.check("requests-max", requestsMax, 1, 4096);
    LIMITS.check("connect-timeout (in ns)", connectTimeoutNs, 1_000, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("receive-timeout (in ns)", receiveTimeoutNs, 0, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("check-interval (in ns)", checkIntervalNs, 1_000, TimeUnit.HOURS.toNanos(1));
  }

  /** Reads {@code weft.tripwire.via} of {@code config}. */
  public static ViaSettings from(Config config) {
    Config c = config.getConfig("weft.tripwire.via");
    return new ViaSettings(c.getInt("port"), c.getInt("vis-max"), c.getInt("queue-depth"), c.getInt("segments-max"),
        Check.bytes(c, "transfer-max"), c.getInt("requests-max"), c.getDuration("connect-timeout", TimeUnit.NANOSECONDS),
        c.getDuration("receive-timeout", TimeUnit.NANOSECONDS), c.getDuration("check-interval", TimeUnit.NANOSECONDS));
  }

  /** Slots of a queue of cookies. */
  int cookieSlots() {
    return queueDepth * segmentsMax + 1;
  }

  /** Slots of a queue of completions; one more than receives, for the notice that nothing follows. */
  int completionSlots() {
    return queueDepth + 2;
  }
}
