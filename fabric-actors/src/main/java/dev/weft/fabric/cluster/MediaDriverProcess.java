package dev.weft.fabric.cluster;

import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.fabric.files.PrivateFile;
import dev.weft.fabric.seal.SealKey;
import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * A media driver of this host. If one is alive in the directory, this JVM attaches to it; otherwise it starts one as a process of its own. A
 * file lock beside the directory makes sure that JVMs that start together start only one driver, and that the driver does not end while a
 * JVM attaches to it. A driver that ends in an orderly way removes its directory, its log and its lock.
 *
 * <p>The JVM that started the driver stops it in {@link #close()}, unless other JVMs still use it. In that case, or if that JVM was killed, the
 * driver ends by itself after {@code exit-when-unused-after} without clients. Any thread; blocks.
 */
public final class MediaDriverProcess implements AutoCloseable {
  /** Part of error messages: what the user can do if a directory cannot be used. */
  static final String REMEDY = "name a directory below one of your own by weft.fabric.cluster.media-driver.directory";

  private static final long DRIVER_TIMEOUT_MS = 10_000;
  private static final long POLL_MS = 10;
  /** The driver changes its heartbeat every second. */
  private static final long BEAT_MS = 3_000;
  /** How many characters of the end of the log a message contains. */
  private static final int LOG_CHARACTERS = 1000;
  private static final long STOP_TIMEOUT_MS = 8_000;
  /** The driver checks once a second for clients that are gone. */
  private static final long LAST_CLIENT_MS = 3_000;

  private final MediaDriverSettings settings;
  private final Process owned;
  private final long pid;
  private final String driverId;
  private final LifeLine lifeLine;

  private MediaDriverProcess(MediaDriverSettings settings, Process owned, Cnc cnc) throws IOException {
    this.settings = settings;
    this.lifeLine = LifeLine.hold(settings.directory());
    this.owned = owned;
    this.pid = cnc.pid;
    this.driverId = bootId() + settings.directory().toAbsolutePath() + "@" + cnc.pid + "-" + cnc.startMs;
  }

  /**
   * Attaches to the driver of {@code settings.directory()}, or starts it.
   *
   * @throws IllegalStateException if the driver does not come up in time; the text names its log
   * @throws IOException if the parent directory is accessible to other users, there is no space for the driver's files, or the lock, the log
   *     or the process cannot be made
   */
  public static MediaDriverProcess startOrAttach(MediaDriverSettings settings) throws IOException {
    return startOrAttach(settings, null);
  }

  /**
   * Like {@link #startOrAttach(MediaDriverSettings)}, for a driver that encrypts its datagrams.
   *
   * @param seal the key; null for none
   * @throws IOException also if the driver that is alive there has another key
   */
  public static MediaDriverProcess startOrAttach(MediaDriverSettings settings, SealKey seal) throws IOException {
    Path directory = settings.directory().toAbsolutePath();
    PrivateDirectory.create(directory.getParent(), REMEDY);
    // Twice the timeout, because another JVM may first try to start the driver and fail.
    try (StartLock lock = StartLock.acquire(directory, 2 * settings.startTimeoutMs())) {
      lock.recordVisit();
      Cnc alive = Cnc.read(directory);
      if (alive != null && (alive.isAlive() || isBeating(alive, directory))) {
        DriverSeal.check(directory, seal);
        return new MediaDriverProcess(settings, null, alive);
      }
      IoUtil.delete(directory.toFile(), true);
      DriverSpace.checkStart(directory.getParent());
      DriverSeal.record(directory, seal);
      return start(settings, seal, logFile(directory));
    }
  }

  /**
   * Whether a driver with an old heartbeat changes it now. After a pause of the machine, or a change of its calendar, a living driver looks dead for a
   * second.
   */
  private static boolean isBeating(Cnc old, Path directory) {
    for (long ms = 0; ms < BEAT_MS && ProcessWatch.isAlive(old.pid); ms += POLL_MS) {
      Cnc now = Cnc.read(directory);
      if (now == null || now.beatMs != old.beatMs) {
        return now != null && now.isAlive();
      }
      sleep(POLL_MS);
    }
    return false;
  }

  private static MediaDriverProcess start(MediaDriverSettings settings, SealKey seal, Path log) throws IOException {
    PrivateFile.makeEmpty(log);
    Process process = BackgroundProcess.startJvm(options(settings, seal != null), MediaDriverMain.class.getName(), settings.toArguments(),
        seal == null ? new byte[0] : seal.bytes(), ProcessBuilder.Redirect.appendTo(log.toFile()));
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.startTimeoutMs());
    while (System.nanoTime() < deadlineNs && process.isAlive()) {
      Cnc cnc = Cnc.read(settings.directory());
      if (cnc != null && cnc.pid == process.pid() && cnc.isAlive()) {
        return new MediaDriverProcess(settings, process, cnc);
      }
      sleep(POLL_MS);
    }
    boolean ended = !process.isAlive();
    process.destroyForcibly();
    throw new IllegalStateException("the media driver in " + settings.directory()
        + (ended ? " ended with code " + process.exitValue() : " was not up after " + settings.startTimeoutMs() + " ms")
        + "; its log is " + log + ": " + tail(log));
  }

  /** Encryption is fast only in code of the second compiler, which needs more memory. */
  private static List<String> options(MediaDriverSettings settings, boolean encrypts) {
    return List.of("-Xmx" + settings.maxHeapBytes(), "-Xms8m", "-Xss256k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=" + (encrypts ? 4 : 1),
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:ReservedCodeCacheSize=" + (encrypts ? "32m" : "16m"), "-XX:MaxMetaspaceSize=48m", "-XX:-UsePerfData",
        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED");
  }

  /** Returns the log file of the driver of that directory. */
  public static Path logFile(Path directory) {
    return directory.resolveSibling(directory.getFileName() + ".log");
  }

  private static String tail(Path log) {
    try {
      String text = Files.readString(log).strip();
      return text.isEmpty() ? "(empty)" : text.substring(Math.max(0, text.length() - LOG_CHARACTERS));
    } catch (IOException e) {
      return "(unreadable: " + e.getMessage() + ")";
    }
  }

  /**
   * Returns a message that the driver has ended, with the end of its log. The caller must know that it has ended; this method does not check it
   * again, because a process that is being killed may still count as alive.
   */
  public String obituary() {
    Path log = logFile(settings.directory().toAbsolutePath());
    return "the media driver (pid " + pid + ") has ended or does not answer; " + log + " says last: " + tail(log);
  }

  /**
   * Tells all clients of the driver, in all JVMs, that the driver's process has ended, as a driver does that ends in an orderly way. The clients then do not
   * wait for its answers any more. Does nothing if the process still runs. Any thread.
   */
  public void sayThatItHasEnded() {
    File file = settings.directory().resolve(CncFileDescriptor.CNC_FILE).toFile();
    Cnc cnc = Cnc.read(settings.directory());
    if (cnc == null || cnc.pid != pid || ProcessWatch.isAlive(pid)) {
      return;
    }
    MappedByteBuffer mapped = IoUtil.mapExistingFile(file, FileChannel.MapMode.READ_WRITE, "cnc");
    try {
      commands(mapped).consumerHeartbeatTime(Aeron.NULL_VALUE);
    } finally {
      IoUtil.unmap(mapped);
    }
  }

  /** Returns the ring buffer of the clients' commands in a command-and-control file; it also has the driver's heartbeat. */
  static RingBuffer commands(MappedByteBuffer cnc) {
    return new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(cnc, CncFileDescriptor.createMetaDataBuffer(cnc)));
  }

  /** Whether a driver is alive in that directory. */
  static boolean isAlive(Path directory) {
    Cnc cnc = Cnc.read(directory);
    return cnc != null && cnc.isAlive();
  }

  /** Returns how many JVMs use the driver in that directory. Each JVM has two clients: Artery's and the trunks'. */
  public static int jvms(Path directory) {
    Cnc cnc = Cnc.read(directory);
    return cnc == null ? 0 : (cnc.clients + 1) / 2;
  }

  /** Ends the driver of a fabric that has ended, if the driver still runs, and removes its files. */
  static void stopAndRemove(Path directory) throws IOException {
    Cnc cnc = Cnc.read(directory);
    if (cnc != null && cnc.heartbeatFresh && !ProcessWatch.isGone(cnc.pid)) { // A dying process still has its files mapped.
      ProcessHandle.of(cnc.pid).ifPresent(MediaDriverProcess::stop);
    }
    IoUtil.delete(directory.toFile(), true);
    Files.deleteIfExists(logFile(directory));
    DriverSeal.forget(directory);
    Files.deleteIfExists(StartLock.file(directory));
  }

  private static void stop(ProcessHandle process) {
    process.destroy();
    try {
      if (!ProcessWatch.awaitEnd(process.pid(), STOP_TIMEOUT_MS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  /** Returns the directory for Aeron clients and Artery. */
  public Path directory() {
    return settings.directory();
  }

  /** Returns the id of this driver process. JVMs with the same id can communicate over its shared memory. */
  public String driverId() {
    return driverId;
  }

  public long pid() {
    return pid;
  }

  /** Whether this JVM started the driver. */
  public boolean isOwned() {
    return owned != null;
  }

  /** Whether the driver's process lives and its heartbeat is fresh. */
  public boolean isAlive() {
    Cnc cnc = Cnc.read(settings.directory());
    return cnc != null && cnc.pid == pid && cnc.isAlive();
  }

  /** Stops the driver if this JVM started it and no other JVM uses it. Close Aeron clients and Artery first. */
  @Override
  public void close() {
    lifeLine.close();
    if (owned == null || !owned.isAlive()) {
      return;
    }
    try {
      if (isUsedByOthers()) {
        return;
      }
      owned.destroy();
      if (!owned.waitFor(STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
        owned.destroyForcibly().waitFor();
        return;
      }
      removeTraces();
    } catch (InterruptedException e) {
      owned.destroyForcibly();
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException("the media driver has ended, but its log or lock cannot be removed", e);
    }
  }

  /** Removes the log and the lock, unless another JVM is starting, or has started, a new driver there. */
  private void removeTraces() throws IOException {
    Path directory = settings.directory().toAbsolutePath();
    if (!Files.exists(directory.getParent())) {
      return;
    }
    try (StartLock lock = StartLock.tryAcquire(directory)) {
      if (lock != null && !Files.exists(directory)) {
        removeTraces(lock, directory);
      }
    }
  }

  /** Removes the files that a driver that ended in an orderly way leaves beside its directory. */
  static void removeTraces(StartLock lock, Path directory) throws IOException {
    Files.deleteIfExists(logFile(directory));
    DriverSeal.forget(directory);
    lock.remove();
  }

  /** Waits a moment, because the driver notices only then that a client has closed. */
  private boolean isUsedByOthers() throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_CLIENT_MS);
    while (true) {
      Cnc cnc = Cnc.read(settings.directory());
      if (cnc == null || cnc.pid != pid || cnc.clients == 0) {
        return false;
      }
      if (System.nanoTime() >= endNs) {
        return true;
      }
      Thread.sleep(POLL_MS);
    }
  }

  private static void sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the media driver", e);
    }
  }

  /** Returns the boot id of this machine, so that driver ids of equal directories on two hosts differ. */
  private static String bootId() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip() + ":";
    } catch (IOException e) {
      return "";
    }
  }

  /** The content of the driver's command-and-control file at one moment. */
  private record Cnc(long pid, long startMs, boolean heartbeatFresh, long beatMs, int clients) {

    /** Returns null if there is no such file, or its driver is still writing it. */
    static Cnc read(Path directory) {
      File file = directory.resolve(CncFileDescriptor.CNC_FILE).toFile();
      if (file.length() < CncFileDescriptor.META_DATA_LENGTH) {
        return null;
      }
      MappedByteBuffer mapped = IoUtil.mapExistingFile(file, FileChannel.MapMode.READ_ONLY, "cnc");
      try {
        UnsafeBuffer meta = CncFileDescriptor.createMetaDataBuffer(mapped);
        int version = meta.getIntVolatile(CncFileDescriptor.cncVersionOffset(0));
        if (version == 0 || !CncFileDescriptor.isCncFileLengthSufficient(meta, mapped.capacity())) {
          return null;
        }
        CncFileDescriptor.checkVersion(version);
        boolean fresh = CommonContext.isDriverActive(DRIVER_TIMEOUT_MS, message -> {}, mapped);
        CountersReader counters = new CountersReader(CncFileDescriptor.createCountersMetaDataBuffer(mapped, meta),
            CncFileDescriptor.createCountersValuesBuffer(mapped, meta));
        return new Cnc(CncFileDescriptor.pid(meta), CncFileDescriptor.startTimestampMs(meta), fresh,
            commands(mapped).consumerHeartbeatTime(),
            MediaDriverMain.clients(counters));
      } finally {
        IoUtil.unmap(mapped);
      }
    }

    /** Checks both heartbeat and process: a killed driver leaves a fresh heartbeat, and a reused pid belongs to an old heartbeat. */
    boolean isAlive() {
      return heartbeatFresh && ProcessWatch.isAlive(pid);
    }
  }
}
