package dev.weft.fabric.host;

import com.typesafe.config.Config;

/**
 * What a disk costs. Times in nanoseconds, bandwidth in bytes per second.
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

  /** Nanoseconds of reading so many bytes that lie one after another. */
  public long readNs(long bytes) {
    return ProfileReader.transferNs(bytes, readBytesPerSecond);
  }

  /** Nanoseconds of writing so many bytes that lie one after another. */
  public long writeNs(long bytes) {
    return ProfileReader.transferNs(bytes, writeBytesPerSecond);
  }

  static DiskCosts from(Config c) {
    return new DiskCosts(ProfileReader.ns(c, "seek"), ProfileReader.ns(c, "rotation"), c.getBytes("read-bandwidth"),
        c.getBytes("write-bandwidth"));
  }
}
