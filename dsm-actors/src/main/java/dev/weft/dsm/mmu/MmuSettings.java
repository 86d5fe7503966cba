package dev.weft.dsm.mmu;

import com.typesafe.config.Config;

/**
 * Settings of page protection ({@code weft.dsm.mmu}); {@code reference.conf} explains them.
 *
 * @param framesBytes page frames of the views of all applications of a node, in bytes
 * @param applications maximum number of processes that a node serves at a time
 * @param connections maximum number of their threads that use locks and barriers at a time
 * @param farewellNs how long processes are served after they were told that their node ends
 * @param holdNs how long a minipage stays with an application that got it
 */
public record MmuSettings(long framesBytes, int applications, int connections, long farewellNs, long holdNs) {
  private static final String PATH = "weft.dsm.mmu";

  public MmuSettings {
    check("frames", framesBytes, 1 << 16, 1L << 40);
    check("applications", applications, 1, MappedArray.APPLICATIONS_MAX);
    check("connections", connections, 1, 4096);
    check("farewell", farewellNs, 0, 60_000_000_000L);
    check("hold", holdNs, 0, 1_000_000_000L);
  }

  private static void check(String key, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(PATH + "." + key + " is " + value + ", must be from " + min + " to " + max);
    }
  }

  /** Reads the settings. */
  public static MmuSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new MmuSettings(section.getBytes("frames"), section.getInt("applications"), section.getInt("connections"),
        section.getDuration("farewell").toNanos(), section.getDuration("hold").toNanos());
  }
}
