package dev.weft.fabric.host;

import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * The costs of a disk. Times are in nanoseconds, bandwidths in bytes per second.
 *
 * @param seekNs mean seek
 * @param rotationNs one full turn; a random access waits half of it on average
 * @param readBytesPerSecond sequential reading through a file system
 * @param writeBytesPerSecond sequential writing through a file system
 */
public record DiskCosts(long seekNs, long rotationNs, long readBytesPerSecond, long writeBytesPerSecond) {
  private static final Check.Section LIMITS = new Check.Section("profile: disk");
  private static final long TIME_MAX_NS = TimeUnit.HOURS.toNanos(1);
  private static final long BANDWIDTH_MAX = 1_000_000_000_000L;

  public DiskCosts {
    LIMITS.check("seek (in ns)", seekNs, 0, TIME_MAX_NS);
    LIMITS.check("rotation (in ns)", rotationNs, 0, TIME_MAX_NS);
    LIMITS.check("read-bandwidth (in bytes per second)", readBytesPerSecond, 1, BANDWIDTH_MAX);
    LIMITS.check("write-bandwidth (in bytes per second)", writeBytesPerSecond, 1, BANDWIDTH_MAX);
  }

  /** Returns the nanoseconds to read {@code bytes} consecutive bytes. */
  public long readNs(long bytes) {
    return transferNs(bytes, readBytesPerSecond);
  }

  /** Returns the nanoseconds to write {@code bytes} consecutive bytes. */
  public long writeNs(long bytes) {
    return transferNs(bytes, writeBytesPerSecond);
  }

  private static long transferNs(long bytes, long bytesPerSecond) {
    return Math.ceilDiv(Math.multiplyExact(bytes, 1_000_000_000L), bytesPerSecond);
  }
}
