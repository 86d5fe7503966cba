package dev.weft.lab.hosts;

import com.typesafe.config.Config;
import java.util.concurrent.TimeUnit;

/** Reads and checks single values of a profile. */
final class ProfileReader {
  static final long TIME_MAX_NS = TimeUnit.HOURS.toNanos(1);
  /** 1000 GB/s, more than any bus has. */
  static final long BANDWIDTH_MAX = 1_000_000_000_000L;

  private ProfileReader() {}

  /** Returns a duration in nanoseconds; the text may have a fraction, as in {@code 0.5us}. */
  static long ns(Config config, String key) {
    return config.getDuration(key, TimeUnit.NANOSECONDS);
  }

  static void checkTime(String key, long ns) {
    check(key + " (in ns)", ns, 0, TIME_MAX_NS);
  }

  static void checkBandwidth(String key, long bytesPerSecond) {
    check(key + " (in bytes per second)", bytesPerSecond, 1, BANDWIDTH_MAX);
  }

  static void check(String key, long value, long low, long high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException("profile: " + key + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  /** Returns the nanoseconds to transfer {@code bytes}, rounded up. */
  static long transferNs(long bytes, long bytesPerSecond) {
    return Math.ceilDiv(Math.multiplyExact(bytes, 1_000_000_000L), bytesPerSecond);
  }
}
