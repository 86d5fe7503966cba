package dev.weft.fabric.subnet;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.time.Duration;

/** The settings of block {@code weft.fabric.subnet}, validated. */
public record SubnetSettings(
    Duration registerInterval, Duration registerRetryInterval, Duration takeoverGrace, Duration memberWithin, int nodesMax,
    int groupsMax, int advertsMaxBytes) {

  private static final String SECTION = "weft.fabric.subnet.";

  public SubnetSettings {
    Check.range(SECTION + "register-interval (ms)", registerInterval.toMillis(), 100, 60_000);
    Check.range(SECTION + "register-retry-interval (ms)", registerRetryInterval.toMillis(), 20, 60_000);
    Check.range(SECTION + "takeover-grace (ms)", takeoverGrace.toMillis(), 100, 600_000);
    Check.range(SECTION + "member-within (ms)", memberWithin.toMillis(), 1_000, 3_600_000);
    Check.range(SECTION + "nodes-max", nodesMax, 1, 10_000);
    Check.range(SECTION + "groups-max", groupsMax, 0, 10_000);
    Check.range(SECTION + "adverts-max-bytes", advertsMaxBytes, 0, 1 << 20);
  }

  /** Reads the block from a whole configuration. */
  public static SubnetSettings of(Config config) {
    Config block = config.getConfig("weft.fabric.subnet");
    return new SubnetSettings(block.getDuration("register-interval"), block.getDuration("register-retry-interval"),
        block.getDuration("takeover-grace"), block.getDuration("member-within"), block.getInt("nodes-max"), block.getInt("groups-max"),
        Check.bytes(config, SECTION + "adverts-max-bytes"));
  }
}
