package dev.weft.fabric.cluster;

import dev.weft.fabric.files.JvmName;
import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Shows a media driver that a JVM is alive: a file in the driver's directory that the JVM keeps locked. The kernel ends the lock when the process
 * ends, but not while it is paused. The JVM's Aeron clients carry the name of the file. A JVM counts how often it holds its file. Any thread.
 */
public final class LifeLine implements AutoCloseable {
  private static final Map<Path, Held> HELD = new HashMap<>(); // guarded by itself

  private static final class Held {
    final FileChannel channel;
    int count;

    Held(FileChannel channel) {
      this.channel = channel;
    }
  }

  private final Path file;
  private boolean closed; // guarded by HELD

  private LifeLine(Path file) {
    this.file = file;
  }

  /** Locks this JVM's file. Call it before the JVM's first Aeron client connects to that driver. */
  static LifeLine hold(Path driverDirectory) throws IOException {
    Path file = driverDirectory.toAbsolutePath().resolve(JvmName.OF_THIS_JVM);
    synchronized (HELD) {
      Held held = HELD.get(file);
      if (held == null) {
        held = new Held(lock(file));
        HELD.put(file, held);
      }
      held.count++;
    }
    return new LifeLine(file);
  }

  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel = PrivateFile.open(file, StandardOpenOption.WRITE);
    try {
      FileLock _ = channel.lock(); // Waits, because the driver may just be testing the lock.
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Whether a process holds that file. Do not call it in the process that holds the file: that would end its lock. */
  static boolean isHeld(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE); FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  /** Ends the life line, unless the JVM holds it for another fabric, too. Close the Aeron clients first. */
  @Override
  public void close() {
    synchronized (HELD) {
      Held held = HELD.get(file);
      if (closed || held == null) {
        return;
      }
      closed = true;
      held.count--;
      if (held.count > 0) {
        return;
      }
      HELD.remove(file);
      try (FileChannel _ = held.channel) {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot remove " + file, e);
      }
    }
  }
}
