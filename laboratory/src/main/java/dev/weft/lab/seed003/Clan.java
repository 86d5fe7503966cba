package dev.weft.lab.seed003;

import com.typesafe.config.ConfigFactory;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import java.util.function.ToDoubleFunction;

/** What the experiments of seed 003 have in common. */
final class Clan {
  static final String PROFILE = "clan-alpha";
  static final Tolerance TOLERANCE = Tolerance.relative(0.15);

  private Clan() {}

  static HardwareProfile profile(Setting setting) {
    return HardwareProfile.load(setting.profile());
  }

  /** What a part of the hardware adds to a measurement: the difference that {@code without}, a change of the profile, makes. */
  static double part(Setting setting, String without, ToDoubleFunction<HardwareProfile> measure) {
    HardwareProfile lacking = HardwareProfile.load(setting.profile(), ConfigFactory.parseString(without));
    return measure.applyAsDouble(profile(setting)) - measure.applyAsDouble(lacking);
  }
}
