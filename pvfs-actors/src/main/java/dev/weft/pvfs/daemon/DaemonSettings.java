package dev.weft.pvfs.daemon;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.hca.node.RoleContext;

/**
 * Settings of an I/O daemon, {@code weft.pvfs.daemon}; reference.conf explains each.
 *
 * @param memoryBytes for stripes in memory
 * @param credits requests of one client that may be under way
 * @param clientsMax connections at a time
 * @param inlineBytes longest data in a message
 * @param fastBytes longest data in a lent buffer
 * @param fastSlots buffers lent to each client
 * @param transferBytes longest RDMA request
 * @param directory for stripes; "" for stripes in memory
 * @param disk settings for stripes in a directory
 * @param directBuffers of {@code transferBytes}, for clients that move data themselves
 * @param patienceNs how long a client may accept nothing while others wait for its buffers
 * @param keepNs how long a client is remembered after it disconnects, so that repeated requests are not done twice
 */
public record DaemonSettings(RoleContext context, long memoryBytes, int credits, int clientsMax, int inlineBytes, int fastBytes, int fastSlots,
    int transferBytes, int directBuffers, long patienceNs, long keepNs, String directory, Disk disk) {

  /**
   * Settings for stripes in a directory.
   *
   * @param fileSystem that the directory must belong to; "" for any
   * @param zoneBytes of buffers between network and disk
   * @param threads number of file access managers
   * @param queue jobs that they have at a time
   * @param openMax open objects
   * @param sumBytes of checksums in memory
   * @param reserveBytes of the disk that data leaves free
   */
  public record Disk(String fileSystem, long zoneBytes, int threads, int queue, int openMax, long sumBytes, long reserveBytes) {
    public Disk {
      LIMITS.check("zones", zoneBytes, Zones.MEMORY_MIN, 1L << 40);
      LIMITS.check("disk-threads", threads, 1, 64);
      LIMITS.check("disk-queue", queue, 1, 4096);
      LIMITS.check("objects-open", openMax, 16, 65_536);
      LIMITS.check("checksums", sumBytes, 1 << 20, 1L << 36);
      LIMITS.check("reserve", reserveBytes, 0, 1L << 36);
    }

    static Disk from(Config section) {
      return new Disk(section.getString("file-system"), section.getBytes("zones"), section.getInt("disk-threads"), section.getInt("disk-queue"),
          section.getInt("objects-open"), section.getBytes("checksums"), section.getBytes("reserve"));
    }
  }

  private static final Check.Section LIMITS = new Check.Section("weft.pvfs.daemon");

  public DaemonSettings {
    LIMITS.check("memory", memoryBytes, StripeMemory.CHUNK_BYTES, 1L << 46);
    LIMITS.check("credits", credits, 1, 1024);
    LIMITS.check("clients-max", clientsMax, 1, 4096);
    LIMITS.check("inline", inlineBytes, 0, 32_768);
    LIMITS.check("fast", fastBytes, 0, 1 << 20);
    LIMITS.check("fast-slots", fastSlots, 0, 254);
    LIMITS.check("transfer", transferBytes, 4096, 1 << 23);
    LIMITS.check("direct-buffers", directBuffers, 0, 1024);
    LIMITS.check("patience", patienceNs, 1_000_000, 3_600_000_000_000L);
    LIMITS.check("keep", keepNs, 1_000_000, 3_600_000_000_000L);
  }

  /** Whether stripes are on a disk. */
  public boolean isOnDisk() {
    return !directory.isEmpty();
  }

  /**
   * Returns how many bytes of the disk must be free for new data; 0 for no limit. It is the reserve plus one transfer, which the last accepted part
   * may use; so all sizes are refused alike.
   */
  long keptBytes() {
    return disk.reserveBytes() == 0 ? 0 : disk.reserveBytes() + transferBytes;
  }

  /** Returns these settings with another directory. */
  public DaemonSettings withDirectory(String path) {
    return new DaemonSettings(context, memoryBytes, credits, clientsMax, inlineBytes, fastBytes, fastSlots, transferBytes, directBuffers, patienceNs, keepNs,
        path, disk);
  }

  /** Returns these settings for the directory of a file system; "" for any. */
  public DaemonSettings ofFileSystem(String id) {
    Disk of = new Disk(id, disk.zoneBytes(), disk.threads(), disk.queue(), disk.openMax(), disk.sumBytes(), disk.reserveBytes());
    return new DaemonSettings(context, memoryBytes, credits, clientsMax, inlineBytes, fastBytes, fastSlots, transferBytes, directBuffers, patienceNs, keepNs,
        directory, of);
  }

  /** From {@code weft.pvfs.daemon} of a configuration. */
  public static DaemonSettings from(Config config) {
    Config section = config.getConfig("weft.pvfs.daemon");
    return new DaemonSettings(RoleContext.of("weft.pvfs.daemon", section), section.getBytes("memory"), section.getInt("credits"),
        section.getInt("clients-max"), section.getBytes("inline").intValue(), section.getBytes("fast").intValue(), section.getInt("fast-slots"),
        section.getBytes("transfer").intValue(), section.getInt("direct-buffers"),
        section.getDuration("patience").toNanos(), section.getDuration("keep").toNanos(), section.getString("directory"), Disk.from(section));
  }
}
