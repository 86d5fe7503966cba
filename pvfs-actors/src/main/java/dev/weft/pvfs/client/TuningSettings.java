package dev.weft.pvfs.client;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;

/**
 * How a client finds the best band, {@code weft.pvfs.client.tuning}; reference.conf explains each.
 *
 * @param every requests of a size between two trials, at first
 * @param samples requests that a trial sends by each of two bands
 * @param gainPercent by how much a band must be faster to replace another
 * @param lossPercent share of the time of all requests that trials may cost
 */
public record TuningSettings(int every, int samples, int gainPercent, int lossPercent) {
  private static final String PATH = "weft.pvfs.client.tuning";
  private static final Check.Section LIMITS = new Check.Section(PATH);

  public TuningSettings {
    LIMITS.check("every", every, 16, 1 << 20);
    LIMITS.check("samples", samples, 3, 64);
    LIMITS.check("gain", gainPercent, 1, 90);
    LIMITS.check("loss", lossPercent, 1, 50);
  }

  static TuningSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new TuningSettings(section.getInt("every"), section.getInt("samples"), section.getInt("gain"), section.getInt("loss"));
  }
}
