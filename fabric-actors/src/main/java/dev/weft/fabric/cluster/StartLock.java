package dev.weft.fabric.cluster;

import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The lock beside a media driver's directory. Its holder may start the driver, attach to it, or end it because it is unused. The length of
 * the lock's file counts the visits: how many JVMs have attached to the driver or started it. It excludes threads of a JVM as well as JVMs,
 * and is held until it is closed.
 */
final class StartLock implements AutoCloseable {
  private static final long POLL_MS = 10;

  private final Path file;
  private final FileChannel channel;

  private StartLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  static Path file(Path directory) {
    return directory.resolveSibling(directory.getFileName() + ".lock");
  }

  /**
   * Waits for the lock.
   *
   * @throws IllegalStateException if another process or thread holds it for {@code timeoutMs}, or this thread is interrupted
   */
  static StartLock acquire(Path directory, long timeoutMs) throws IOException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    StartLock lock = null;
    while (lock == null) {
      lock = attempt(file(directory), endNs);
    }
    return lock;
  }

  /** Returns the lock, or null if another process or thread holds it. */
  static StartLock tryAcquire(Path directory) throws IOException {
    try {
      return attempt(file(directory), System.nanoTime());
    } catch (IllegalStateException held) {
      return null;
    }
  }

  /** Returns null if the last holder has removed the file meanwhile, so that a lock on it would be useless. */
  private static StartLock attempt(Path file, long endNs) throws IOException {
    FileChannel channel = PrivateFile.open(file, StandardOpenOption.WRITE);
    try {
      awaitLock(channel, file, endNs);
      if (isStillThere(channel, file)) {
        return new StartLock(file, channel);
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return null;
  }

  /** Whether the path still names the open file. Compares their lengths, because opening and closing the path again would end the lock. */
  private static boolean isStillThere(FileChannel channel, Path file) throws IOException {
    long length = channel.size();
    long probe = length + 1 + ThreadLocalRandom.current().nextInt(1 << 30);
    write(channel, file, probe - 1);
    boolean isThere = length(file) == probe;
    channel.truncate(length);
    return isThere;
  }

  private static long length(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return -1;
    }
  }

  private static void awaitLock(FileChannel channel, Path file, long endNs) throws IOException {
    while (tryLock(channel) == null) {
      if (System.nanoTime() - endNs >= 0) {
        throw new IllegalStateException("another process or thread holds " + file);
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for " + file, e);
      }
    }
  }

  private static FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // Another thread of this JVM holds the lock.
    }
  }

  /** Tells the driver that a JVM is about to use it. */
  void recordVisit() throws IOException {
    write(channel, file, channel.size());
  }

  private static void write(FileChannel channel, Path file, long at) throws IOException {
    try {
      channel.write(ByteBuffer.allocate(1), at);
    } catch (ClosedChannelException interrupted) {
      throw interrupted;
    } catch (IOException e) {
      throw DriverSpace.cannotWrite(file, e);
    }
  }

  /** Returns a value that changes with each visit of a JVM. */
  static long lastVisit(Path directory) {
    return length(file(directory));
  }

  /** Removes the file; a JVM that waits for the lock makes a new file. */
  void remove() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
