package dev.weft.pvfs.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.pvfs.wire.Band;
import java.util.Arrays;
import java.util.Locale;

/**
 * Settings of a client, {@code weft.pvfs.client}; reference.conf explains each.
 *
 * @param credits requests that the client asks to have under way with each daemon
 * @param inlineBytes longest data in a message, if the daemon accepts that much
 * @param fastBytes longest data in a lent buffer, if the daemon lends some
 * @param fastSlots buffers lent to each daemon
 * @param requestBytes longest data of one request
 * @param windowBytes data of one operation under way at a time
 * @param tasksMax operations that may wait or be under way
 * @param registration how the program's memory is registered
 * @param registrationEntries registrations kept, if the strategy keeps any
 * @param forced the only band to use; null to choose by size
 * @param forcedWrites the same for writes; differs for hybrid only
 * @param tuning how to find the best band; null for fixed thresholds
 * @param isChecked whether data has checksums from the program's memory to the daemon's and back
 * @param checkTries how often data with a wrong checksum is sent before the operation ends with EIO
 * @param sendTries how often a request is sent, each time on a new connection because the last one was lost, before it ends with EIO
 * @param reconnectNs time between attempts to reach a daemon
 * @param patienceNs how long an operation waits for an unreachable daemon before it ends with EIO
 * @param statfsPatienceNs how long statfs waits for a daemon before it goes on without it
 */
public record ClientSettings(RoleContext context, int credits, int inlineBytes, int fastBytes, int fastSlots, int requestBytes, int windowBytes,
    int tasksMax, Strategy registration, int registrationEntries, Band forced, Band forcedWrites, TuningSettings tuning, boolean isChecked,
    int checkTries, int sendTries, long reconnectNs, long patienceNs, long statfsPatienceNs) {
  private static final String PATH = "weft.pvfs.client";
  private static final Check.Section LIMITS = new Check.Section(PATH);
  private static final String AUTO = "auto";
  private static final String FIXED = "fixed";
  /** Clients write by RDMA themselves; daemons answer reads by RDMA Write (PVFS over InfiniBand, section 4.3). */
  private static final String HYBRID = "hybrid";
  private static final long HOUR_NS = 3_600_000_000_000L;

  public ClientSettings {
    LIMITS.check("credits", credits, 1, 1024);
    LIMITS.check("inline", inlineBytes, 0, 1 << 20);
    LIMITS.check("fast", fastBytes, 0, 1 << 20);
    LIMITS.check("fast-slots", fastSlots, 0, 254);
    LIMITS.check("request", requestBytes, 4096, 1 << 30);
    LIMITS.check("window", windowBytes, requestBytes, 1 << 30);
    LIMITS.check("tasks-max", tasksMax, 1, 1 << 20);
    LIMITS.check("registration-entries", registrationEntries, 1, 1 << 20);
    LIMITS.check("checksum-tries", checkTries, 1, 100);
    LIMITS.check("send-tries", sendTries, 1, 10_000);
    LIMITS.check("reconnect", reconnectNs, 1_000_000L, HOUR_NS);
    LIMITS.check("patience", patienceNs, 0, HOUR_NS);
    LIMITS.check("statfs-patience", statfsPatienceNs, 1_000_000L, HOUR_NS);
  }

  /** From {@code weft.pvfs.client} of a configuration. */
  public static ClientSettings from(Config config) {
    Config section = config.getConfig(PATH);
    LIMITS.check("inline", Check.bytes(section, "inline"), 0, 32_768); // Limit of messages on the fabric.
    return new ClientSettings(RoleContext.of(PATH, section), section.getInt("credits"), Check.bytes(section, "inline"), Check.bytes(section, "fast"),
        section.getInt("fast-slots"), Check.bytes(section, "request"), Check.bytes(section, "window"), section.getInt("tasks-max"),
        one(section, "registration", Strategy.values()), section.getInt("registration-entries"),
        band(section), section.getString("band").equals(HYBRID) ? Band.CLIENT : band(section),
        section.getString("band").equals(AUTO) ? TuningSettings.from(config) : null,
        one(section, "checksum", Checksum.values()) == Checksum.END_TO_END, section.getInt("checksum-tries"), section.getInt("send-tries"),
        section.getDuration("reconnect").toNanos(), section.getDuration("patience").toNanos(),
        section.getDuration("statfs-patience").toNanos());
  }

  private enum Checksum {
    /** Checksums only of blocks on the daemons' disks. */
    DISK,
    /** Checksums of the data of requests, too. */
    END_TO_END
  }

  /** Returns the band for reads, null if it is chosen by size. */
  private static Band band(Config section) {
    String name = section.getString("band");
    if (name.equals(AUTO) || name.equals(FIXED)) {
      return null;
    }
    if (name.equals(HYBRID)) {
      return Band.SERVER;
    }
    return Arrays.stream(Band.values()).filter(each -> spelt(each).equals(name)).findFirst().orElseThrow(() -> new ConfigException.BadValue(
        section.getValue("band").origin(), PATH + ".band", "\"" + name + "\", must be " + AUTO + ", " + FIXED + ", " + HYBRID + " or one of "
        + Arrays.stream(Band.values()).map(ClientSettings::spelt).toList()));
  }

  private static <E extends Enum<E>> E one(Config section, String key, E[] all) {
    String name = section.getString(key);
    return Arrays.stream(all).filter(each -> spelt(each).equals(name)).findFirst().orElseThrow(() -> new ConfigException.BadValue(
        section.getValue(key).origin(), PATH + "." + key, "\"" + name + "\", must be one of " + Arrays.stream(all).map(ClientSettings::spelt).toList()));
  }

  private static String spelt(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns these settings with one band for all requests. */
  public ClientSettings withForced(Band band) {
    return new ClientSettings(context, credits, inlineBytes, fastBytes, fastSlots, requestBytes, windowBytes, tasksMax, registration, registrationEntries, band,
        band, tuning, isChecked, checkTries, sendTries, reconnectNs, patienceNs, statfsPatienceNs);
  }

  /** Returns these settings for a transport that has only messages, each with at most so many bytes of data. */
  ClientSettings withMessagesOnly(int dataBytes) {
    return new ClientSettings(context, credits, dataBytes, 0, 0, dataBytes, Math.max(windowBytes, dataBytes), tasksMax, registration, registrationEntries,
        Band.INLINE, Band.INLINE, null, isChecked, checkTries, sendTries, reconnectNs, patienceNs, statfsPatienceNs);
  }

  /** Returns these settings with another strategy. */
  public ClientSettings withRegistration(Strategy other) {
    return new ClientSettings(context, credits, inlineBytes, fastBytes, fastSlots, requestBytes, windowBytes, tasksMax, other, registrationEntries, forced,
        forcedWrites, tuning, isChecked, checkTries, sendTries, reconnectNs, patienceNs, statfsPatienceNs);
  }

  /** Returns these settings with or without checksums of the data of requests. */
  public ClientSettings withChecks(boolean isWanted) {
    return new ClientSettings(context, credits, inlineBytes, fastBytes, fastSlots, requestBytes, windowBytes, tasksMax, registration, registrationEntries,
        forced, forcedWrites, tuning, isWanted, checkTries, sendTries, reconnectNs, patienceNs, statfsPatienceNs);
  }
}
