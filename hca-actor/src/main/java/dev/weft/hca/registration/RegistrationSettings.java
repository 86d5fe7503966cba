package dev.weft.hca.registration;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The keys of {@code weft.hca.registration} in reference.conf, where each is explained.
 *
 * @param strategy which
 * @param entriesMax registrations that are kept, 1 to 16,777,216
 * @param bytesMax their bytes, 4,096 to 2^50
 * @param batchMax regions deregistered together, 2 to 65,536
 * @param batchBytesMax their bytes, 4,096 to 2^50
 */
public record RegistrationSettings(Strategy strategy, int entriesMax, long bytesMax, int batchMax, long batchBytesMax) {
  private static final Check.Section LIMITS = new Check.Section("weft.hca.registration");

  /** The strategies there are. */
  public enum Strategy {
    /** Registered once, kept to the end. */
    STATIC,
    /** Registered for each use. */
    DYNAMIC,
    /** Kept after use, least recently used first out. */
    PIN_DOWN_CACHE,
    /** A pin-down cache with fast registration and batched deregistration. */
    FMRD,
    /** Registered without pinning, and kept. */
    UNPINNED;

    /** As in the configuration, for example {@code pin-down-cache}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private static final long BYTES_MAX = 1L << 50;

  public RegistrationSettings {
    LIMITS.check("entries-max", entriesMax, 1, 1 << 24);
    LIMITS.check("bytes-max", bytesMax, 4096, BYTES_MAX);
    LIMITS.check("batch-max", batchMax, 2, 1 << 16);
    LIMITS.check("batch-bytes-max", batchBytesMax, 4096, BYTES_MAX);
  }

  /** Reads {@code weft.hca.registration} of {@code config}. */
  public static RegistrationSettings from(Config config) {
    Config c = config.getConfig("weft.hca.registration");
    return new RegistrationSettings(strategy(c.getString("strategy")), c.getInt("entries-max"), c.getBytes("bytes-max"),
        c.getInt("batch-max"), c.getBytes("batch-bytes-max"));
  }

  private static Strategy strategy(String text) {
    return Arrays.stream(Strategy.values()).filter(s -> s.text().equals(text)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("weft.hca.registration.strategy is '" + text + "', must be one of "
            + Arrays.stream(Strategy.values()).map(Strategy::text).collect(Collectors.joining(", "))));
  }
}
