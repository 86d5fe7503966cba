package dev.weft.hca.cm;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * The keys of {@code weft.hca.cm} in reference.conf.
 *
 * @param connectTimeout time limit for establishing a connection, on each side
 * @param connectionsMax largest number of connections of one node, established or being set up
 */
public record CmSettings(Duration connectTimeout, int connectionsMax) {
  public CmSettings {
    if (connectTimeout.isNegative() || connectTimeout.isZero()) {
      throw new IllegalArgumentException("weft.hca.cm.connect-timeout is " + connectTimeout + ", must be positive");
    }
    if (connectionsMax < 1 || connectionsMax > 1 << 20) {
      throw new IllegalArgumentException("weft.hca.cm.connections-max is " + connectionsMax + ", must be from 1 to 1048576");
    }
  }

  /** Reads {@code weft.hca.cm} of {@code config}. */
  public static CmSettings from(Config config) {
    Config c = config.getConfig("weft.hca.cm");
    return new CmSettings(c.getDuration("connect-timeout"), c.getInt("connections-max"));
  }
}
