package dev.weft.fabric.cluster;

import dev.weft.fabric.trunk.TrunkSettings;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Computes the space that the files of a media driver need in their file system, and checks that it is free. The driver reserves the space
 * of each file when it makes it. So a full file system makes a trunk fail, but never ends a JVM that writes to one. This class detects the
 * lack of space before anything starts. Any thread.
 */
public final class DriverSpace {
  /** Bytes that every driver needs: its command file, its loss report, its log and small files of JVMs. */
  static final long START_BYTES = 12L << 20;

  /** A log buffer has three terms and one page. */
  private static final int TERMS = 3;
  private static final long PAGE = 4096;
  /** Artery's streams from one JVM to another: one for the cluster's control messages, one for all others. */
  private static final int ARTERY_STREAMS = 2;

  private DriverSpace() {}

  /** Returns the bytes for a fabric of {@code jvms} JVMs that share a driver. */
  public static long bytes(MediaDriverSettings driver, TrunkSettings trunks, int jvms) {
    return START_BYTES + (long) jvms * (jvms - 1) * oneWayBytes(driver, trunks);
  }

  /** Returns the bytes of the connection from one JVM to another. Over UDP, the driver has a buffer on each side. */
  private static long oneWayBytes(MediaDriverSettings driver, TrunkSettings trunks) {
    long trunk = trunks.transport() == TrunkSettings.Transport.UDP ? 2 * log(trunks.udpTermLength()) : log(trunks.ipcTermLength());
    return trunk + 2 * ARTERY_STREAMS * log(driver.udpTermLength());
  }

  private static long log(long termLength) {
    return TERMS * termLength + PAGE;
  }

  /**
   * Checks that the files of a fabric will fit.
   *
   * @param jvms number of JVMs that will use the driver
   * @throws IOException if they need more than is free; the message says how much is free and how much is missing
   */
  public static void check(Path directory, MediaDriverSettings driver, TrunkSettings trunks, int jvms) throws IOException {
    check(directory, bytes(driver, trunks, jvms), "itself and the connections of " + jvms + (jvms == 1 ? " JVM" : " JVMs"));
  }

  /** Does the same for one more JVM, in addition to {@code others} JVMs that have their files already. */
  public static void checkOneMore(Path directory, MediaDriverSettings driver, TrunkSettings trunks, int others) throws IOException {
    check(directory, 2L * others * oneWayBytes(driver, trunks), "the connections of one more JVM");
  }

  /** Does the same for the driver alone. */
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

  /** Returns the exception for a small file beside the driver's that cannot be written, because another program has taken the space meanwhile. */
  static IOException cannotWrite(Path file, IOException why) {
    return new IOException(file + " cannot be written: " + why.getMessage() + "; make room there, make it larger (for a container: --shm-size), or "
        + MediaDriverProcess.REMEDY + " on another file system", why);
  }

  private static long mib(long bytes) {
    return (bytes + (1 << 20) - 1) >> 20;
  }
}
