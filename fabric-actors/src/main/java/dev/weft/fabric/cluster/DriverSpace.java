package dev.weft.fabric.cluster;

import dev.weft.fabric.trunk.TrunkSettings;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the files of a media driver need of their file system, and whether that is free. The driver reserves each file when it makes it, so
 * that a full file system refuses a trunk and never ends a JVM that writes to one; this tells it before anything is started. Any thread.
 */
public final class DriverSpace {
  /** Its command file and its loss report, its log and small files of JVMs, whatever it does. */
  static final long START_BYTES = 12L << 20;

  /** Log buffers hold three terms and a page of their own. */
  private static final int TERMS = 3;
  private static final long PAGE = 4096;
  /** Artery's streams from one JVM to another: control messages of the cluster, and all others. */
  private static final int ARTERY_STREAMS = 2;

  private DriverSpace() {}

  /** Bytes for a fabric of so many JVMs that share a driver. */
  public static long bytes(MediaDriverSettings driver, TrunkSettings trunks, int jvms) {
    return START_BYTES + (long) jvms * (jvms - 1) * oneWayBytes(driver, trunks);
  }

  /** Of the connection from one JVM to another. Over UDP the driver has a buffer on each side. */
  private static long oneWayBytes(MediaDriverSettings driver, TrunkSettings trunks) {
    long trunk = trunks.transport() == TrunkSettings.Transport.UDP ? 2 * log(trunks.udpTermLength()) : log(trunks.ipcTermLength());
    return trunk + 2 * ARTERY_STREAMS * log(driver.udpTermLength());
  }

  private static long log(long termLength) {
    return TERMS * termLength + PAGE;
  }

  /**
   * Refuses a fabric whose files will not fit.
   *
   * @param jvms that will use the driver
   * @throws IOException if there is less room than they need; the text says what there is and what is missing
   */
  public static void check(Path directory, MediaDriverSettings driver, TrunkSettings trunks, int jvms) throws IOException {
    check(directory, bytes(driver, trunks, jvms), "itself and the connections of " + jvms + (jvms == 1 ? " JVM" : " JVMs"));
  }

  /** The same for one JVM more, beside {@code others} that have what they need. */
  public static void checkOneMore(Path directory, MediaDriverSettings driver, TrunkSettings trunks, int others) throws IOException {
    check(directory, 2L * others * oneWayBytes(driver, trunks), "the connections of one more JVM");
  }

  /** The same for the driver alone. */
  static void checkStart(Path directory) throws IOException {
    check(directory, START_BYTES, "itself");
  }

  private static void check(Path directory, long needed, String whose) throws IOException {
    Path there = directory.toAbsolutePath();
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    FileStore store = Files.getFileStore(there);
    long free = store.getUsableSpace();
    if (store.getTotalSpace() > 0 && free < needed) {
      throw new IOException("the media driver needs " + mib(needed) + " MiB for " + whose + ", and " + there + " has "
          + (free >> 20) + " MiB free of " + mib(store.getTotalSpace()) + ", so " + mib(needed - free) + " MiB are missing; make it larger"
          + " (for a container: --shm-size), use fewer JVMs or a smaller weft.fabric.trunk.ipc-term-length, or "
          + MediaDriverProcess.REMEDY + " on another file system");
    }
  }

  /** What to say where a small file beside the driver's cannot be written, because somebody else has taken the room meanwhile. */
  static IOException cannotWrite(Path file, IOException why) {
    return new IOException(file + " cannot be written: " + why.getMessage() + "; make room there, make it larger (for a container: --shm-size), or "
        + MediaDriverProcess.REMEDY + " on another file system", why);
  }

  private static long mib(long bytes) {
    return (bytes + (1 << 20) - 1) >> 20;
  }
}
