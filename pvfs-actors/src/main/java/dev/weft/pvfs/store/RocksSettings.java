package dev.weft.pvfs.store;

import com.typesafe.config.Config;

/**
 * The resources of a {@link RocksStore}.
 *
 * @param writeBufferBytes of changes in memory before they become a sorted file; there are at most two such buffers. 64 KiB to 1 GiB
 * @param cacheBytes of blocks of these files in memory. 64 KiB to 64 GiB
 * @param reserveBytes with less than that free on the file system, {@link RocksStore#isFull} is true; with less than a quarter of it free, no batch
 *     is written. More than the write buffers, so that RocksDB itself never meets a full disk. 1 MiB to 64 GiB
 */
public record RocksSettings(int writeBufferBytes, long cacheBytes, long reserveBytes) {
  /** For some millions of files. */
  public static final RocksSettings DEFAULT = new RocksSettings(8 << 20, 32L << 20, 64L << 20);

  public RocksSettings {
    check("write buffer", writeBufferBytes, 64 << 10, 1L << 30);
    check("cache", cacheBytes, 64 << 10, 64L << 30);
    check("reserve", reserveBytes, 1 << 20, 64L << 30);
  }

  /** From {@code weft.pvfs.manager.store} of a configuration. */
  public static RocksSettings from(Config config) {
    Config section = config.getConfig("weft.pvfs.manager.store");
    return new RocksSettings((int) Math.min(Integer.MAX_VALUE, section.getBytes("write-buffer")), section.getBytes("cache"), section.getBytes("reserve"));
  }

  private static void check(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " of the metadata store is " + value + " bytes, must be from " + min + " to " + max);
    }
  }
}
