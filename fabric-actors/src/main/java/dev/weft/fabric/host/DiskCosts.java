package dev.weft.fabric.host;

import com.typesafe.config.Config;

/**
 * The costs of a disk. Times are in nanoseconds, bandwidths in bytes per second.
 *
 * @param seekNs mean seek
 * @param rotationNs one full turn; a random access waits half of it on average
 * @param readBytesPerSecond sequential reading through a file system
 * @param writeBytesPerSecond sequential writing through a file system
 */
public record DiskCosts(long seekNs, long rotationNs, long readBytesPerSecond, long writeBytesPerSecond) {
  public DiskCosts {
    ProfileReader.checkTime("disk.seek", seekNs);
    ProfileReader.checkTime("disk.rotation", rotationNs);
    ProfileReader.checkBandwidth("disk.read-bandwidth", readBytesPerSecond);
    ProfileReader.checkBandwidth("disk.write-bandwidth", writeBytesPerSecond);
  }

  /** Returns the nanoseconds to read {@code bytes} consecutive bytes. */
  public long readNs(long bytes) {
    return ProfileReader.transferNs(bytes, readBytesPerSecond);
  }

  /** Returns the nanoseconds to write {@code bytes} consecutive bytes. */
  public long writeNs(long bytes) {
    return ProfileReader.transferNs(bytes, writeBytesPerSecond);
  }

  static DiskCosts from(Config c) {
    return new DiskCosts(ProfileReader.ns(c, "seek"), ProfileReader.ns(c, "rotation"), c.getBytes("read-bandwidth"),
        c.getBytes("write-bandwidth"));
  }
}
