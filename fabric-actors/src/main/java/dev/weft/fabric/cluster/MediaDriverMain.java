package dev.weft.fabric.cluster;

import dev.weft.fabric.seal.SealKey;
import dev.weft.fabric.seal.SealedEndpoints;
import dev.weft.fabric.time.RealClock;
import io.aeron.AeronCounters;
import io.aeron.CncFileDescriptor;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.ErrorHandler;
import org.agrona.IoUtil;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Entry point of the media driver process. It uses few threads and little memory, and ends by itself when no client is left. Its
 * arguments are {@link MediaDriverSettings#toArguments()}; its standard input has the key with which it encrypts, or nothing. On SIGTERM, it ends
 * and removes its directory.
 */
public final class MediaDriverMain {
  private static final int MAX_SPINS = 10;
  private static final int MAX_YIELDS = 20;
  /** Room for 8192 counters, twice as many as 16 JVMs need. With the counters' metadata, it takes five times that. Aeron's default takes 40 MiB. */
  private static final int COUNTERS_BYTES = 1 << 20;

  /** How long a client may be silent: ten years, so that a paused JVM keeps all it has. {@link DeadClients} sets the heartbeat of an ended one to 1970. */
  private static final long FOREVER_NS = TimeUnit.DAYS.toNanos(3650);
  /**
   * How long other JVMs wait if a JVM was killed while it wrote into a buffer that they share. When Aeron checks its settings, this must be longer than the
   * longest silence of a client, so it is set only afterwards.
   */
  private static final long UNBLOCK_NS = TimeUnit.SECONDS.toNanos(30);

  private MediaDriverMain() {}

  public static void main(String[] arguments) throws InterruptedException, IOException {
    MediaDriverSettings settings = MediaDriverSettings.ofArguments(arguments);
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> die("thread " + thread.getName() + " has died", error));
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      stop.countDown();
      awaitQuietly(stopped);
    }, "weft-driver-stop"));
    StartLock unused = null;
    try {
      try (MediaDriver driver = MediaDriver.launch(sealed(context(settings, stop::countDown), System.in.readNBytes(SealKey.LENGTH)))) {
        driver.context().publicationUnblockTimeoutNs(UNBLOCK_NS); // Holds for all publications, because no client has connected yet.
        System.out.println("media driver is up, pid " + ProcessHandle.current().pid() + ", " + settings);
        unused = awaitUnused(driver, settings, stop);
      }
      if (unused != null) {
        MediaDriverProcess.removeTraces(unused, settings.directory());
        unused.close();
      }
    } finally {
      stopped.countDown();
    }
    System.out.println("media driver has ended");
  }

  /** Makes the driver encrypt if it has got a key on its standard input. */
  private static MediaDriver.Context sealed(MediaDriver.Context context, byte[] key) {
    if (key.length > 0) {
      SealedEndpoints.install(context, new SealKey(key));
    }
    return context;
  }

  static MediaDriver.Context context(MediaDriverSettings settings, Runnable onTermination) {
    return new MediaDriver.Context()
        .nanoClock(RealClock.INSTANCE::nowNs)
        .aeronDirectoryName(settings.directory().toString())
        .dirDeleteOnStart(false)
        .dirDeleteOnShutdown(true)
        .warnIfDirectoryExists(false)
        .threadingMode(ThreadingMode.SHARED_NETWORK)
        .conductorIdleStrategy(new PacedIdleStrategy(settings.minParkNs(), settings.maxParkNs()))
        .sharedNetworkIdleStrategy(new GradualIdleStrategy(MAX_SPINS, MAX_YIELDS, settings.minParkNs(), settings.maxParkNs()))
        .asyncExecutorIdleStrategy(new BackoffIdleStrategy(1, 1, settings.maxParkNs(), 4 * settings.maxParkNs()))
        .publicationTermBufferLength(settings.udpTermLength())
        .ipcTermBufferLength(settings.ipcTermLength())
        .mtuLength(settings.udpMtuBytes())
        .ipcMtuLength(settings.ipcMtuBytes())
        .socketSndbufLength(settings.socketBufferBytes())
        .socketRcvbufLength(settings.socketBufferBytes())
        .initialWindowLength(Math.min(settings.socketBufferBytes(), 128 << 10))
        .counterValuesBufferLength(COUNTERS_BYTES)
        .termBufferSparseFile(false) // Without space, making the file fails. A sparse file would end a process that writes to it.
        .performStorageChecks(true)
        .lowStorageWarningThreshold(0) // DriverSpace has checked the space; Aeron's warnings below 160 MiB would add nothing.
        .errorHandler(new ErrorLog())
        .clientLivenessTimeoutNs(FOREVER_NS) // DeadClients finds them.
        .publicationUnblockTimeoutNs(2 * FOREVER_NS)
        .terminationValidator((aeronDir, buffer, offset, length) -> false)
        .terminationHook(onTermination);
  }

  /**
   * Returns when the driver must stop, when it had no client for the configured time, or when its directory was deleted. Ends the process if
   * the conductor does not run any more: the driver is then useless, and clients may wait for it.
   *
   * @return if there are no clients, the lock that keeps JVMs from attaching while the driver ends; else null
   */
  private static StartLock awaitUnused(MediaDriver driver, MediaDriverSettings settings, CountDownLatch stop)
      throws InterruptedException, IOException {
    long unusedMs = settings.exitWhenUnusedAfterMs();
    Path directory = settings.directory();
    Path cnc = directory.resolve(CncFileDescriptor.CNC_FILE);
    CountersReader counters = driver.context().countersManager();
    DriverUse use = new DriverUse(TimeUnit.MILLISECONDS.toNanos(unusedMs), TimeUnit.MILLISECONDS.toNanos(settings.startTimeoutMs()),
        StartLock.lastVisit(directory), RealClock.INSTANCE.nowNs());
    DeadClients dead = new DeadClients(directory, counters);
    Pulse pulse = new Pulse(IoUtil.mapExistingFile(cnc.toFile(), FileChannel.MapMode.READ_ONLY, "cnc"));
    while (!stop.await(Math.min(500, unusedMs), TimeUnit.MILLISECONDS)) {
      if (pulse.isOver()) {
        die("the conductor has not run for " + Pulse.TIMEOUT_MS + " ms", null);
      }
      if (!Files.exists(cnc)) {
        System.out.println(cnc + " was deleted, nobody can reach this driver any more");
        return null;
      }
      dead.look(RealClock.INSTANCE.nowNs());
      if (isOver(use, counters, directory)) {
        StartLock lock = StartLock.tryAcquire(directory);
        if (lock != null && isOver(use, counters, directory)) {
          System.out.println("no client for " + unusedMs + " ms");
          return lock;
        }
        if (lock != null) {
          lock.close();
        }
      }
    }
    return null;
  }

  private static boolean isOver(DriverUse use, CountersReader counters, Path directory) {
    return use.isOver(RealClock.INSTANCE.nowNs(), clients(counters), StartLock.lastVisit(directory));
  }

  /** Returns the number of clients that the driver considers alive. */
  static int clients(CountersReader counters) {
    int[] count = new int[1];
    counters.forEach((counterId, typeId, keyBuffer, label) -> {
      if (typeId == AeronCounters.DRIVER_HEARTBEAT_TYPE_ID) {
        count[0]++;
      }
    });
    return count[0];
  }

  /** Ends the process immediately, because the rest of the driver cannot end in an orderly way. */
  private static void die(String reason, Throwable error) {
    System.out.println("the media driver ends: " + reason);
    if (error != null) {
      error.printStackTrace(System.out);
    }
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }

  /**
   * Checks that the conductor still runs: it changes its heartbeat every second. Pauses of the process do not count, because both threads stand still
   * then.
   */
  private static final class Pulse {
    static final long TIMEOUT_MS = 10_000;

    private final RingBuffer commands;
    private long beat;
    private long beatNs = RealClock.INSTANCE.nowNs();

    Pulse(MappedByteBuffer cnc) {
      this.commands = MediaDriverProcess.commands(cnc);
    }

    boolean isOver() {
      long nowNs = RealClock.INSTANCE.nowNs();
      long latest = commands.consumerHeartbeatTime();
      if (latest != beat) {
        beat = latest;
        beatNs = nowNs;
      }
      return nowNs - beatNs > TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    }
  }

  /** Prints the driver's first errors only, because the log is in memory. */
  private static final class ErrorLog implements ErrorHandler {
    private static final int MOST = 100;

    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void onError(Throwable error) {
      int number = count.incrementAndGet();
      if (number <= MOST) {
        System.out.println("error " + number + (number == MOST ? ", further ones are not shown: " : ": ") + error);
        if (error instanceof Error) {
          error.printStackTrace(System.out);
        }
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
