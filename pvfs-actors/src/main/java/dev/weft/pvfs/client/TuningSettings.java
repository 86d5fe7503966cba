package dev.weft.pvfs.client;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;

/**
 * How a client finds out which band is best, {@code weft.pvfs.client.tuning}; reference.conf says what each is for.
 *
 * @param every requests of a size from one trial to the next, at first
 * @param samples requests of a trial by each of two bands
 * @param gainPercent that a band must be faster by to take another's place
 * @param lossPercent of the time of all requests that trials may cost
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
