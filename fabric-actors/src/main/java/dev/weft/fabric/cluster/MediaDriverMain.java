package dev.weft.fabric.cluster;

import io.aeron.AeronCounters;
import io.aeron.CncFileDescriptor;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.status.CountersReader;

/**
 * Entry point of the media driver process: one thread for everything, little memory, and an end of its own when no client
 * is left. Arguments are {@link MediaDriverSettings#toArguments()}. Ends on SIGTERM and removes its directory.
 */
public final class MediaDriverMain {
  private static final int MAX_SPINS = 10;
  private static final int MAX_YIELDS = 20;

  private MediaDriverMain() {}

  public static void main(String[] arguments) throws InterruptedException, IOException {
    MediaDriverSettings settings = MediaDriverSettings.ofArguments(arguments);
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      stop.countDown();
      awaitQuietly(stopped);
    }, "weft-driver-stop"));
    StartLock unused = null;
    try {
      try (MediaDriver driver = MediaDriver.launch(context(settings, stop::countDown))) {
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

  static MediaDriver.Context context(MediaDriverSettings settings, Runnable onTermination) {
    return new MediaDriver.Context()
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
        .termBufferSparseFile(true)
        .clientLivenessTimeoutNs(settings.clientLivenessTimeoutNs())
        .publicationUnblockTimeoutNs(2 * settings.clientLivenessTimeoutNs())
        .terminationValidator((aeronDir, buffer, offset, length) -> false)
        .terminationHook(onTermination);
  }

  /**
   * Returns when told to stop, when there was no client for the configured time, or when the directory is gone.
   *
   * @return for lack of clients, the lock that keeps others from attaching while the driver ends; else null
   */
  private static StartLock awaitUnused(MediaDriver driver, MediaDriverSettings settings, CountDownLatch stop)
      throws InterruptedException, IOException {
    long unusedMs = settings.exitWhenUnusedAfterMs();
    Path directory = settings.directory();
    Path cnc = directory.resolve(CncFileDescriptor.CNC_FILE);
    CountersReader counters = driver.context().countersManager();
    DriverUse use = new DriverUse(TimeUnit.MILLISECONDS.toNanos(unusedMs), TimeUnit.MILLISECONDS.toNanos(settings.startTimeoutMs()),
        StartLock.lastVisit(directory), System.nanoTime());
    while (!stop.await(Math.min(500, unusedMs), TimeUnit.MILLISECONDS)) {
      if (!Files.exists(cnc)) {
        System.out.println(cnc + " was deleted, nobody can reach this driver any more");
        return null;
      }
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
    return use.isOver(System.nanoTime(), clients(counters), StartLock.lastVisit(directory));
  }

  /** Clients that the driver holds to be alive. */
  static int clients(CountersReader counters) {
    int[] count = new int[1];
    counters.forEach((counterId, typeId, keyBuffer, label) -> {
      if (typeId == AeronCounters.DRIVER_HEARTBEAT_TYPE_ID) {
        count[0]++;
      }
    });
    return count[0];
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
