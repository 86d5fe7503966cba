package dev.weft.pvfs.store;

import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * The lock of a store's directory: one process at a time, and one user in it. The holder is written beside the lock file, not into it: a process that
 * closes any descriptor of a file loses its locks on it, so nothing may open the lock file to read it.
 */
public final class StoreLock implements AutoCloseable {
  /** Directories that this JVM uses, by real path: the operating system's locks only separate processes. */
  private static final Set<Path> USED = new HashSet<>();

  private final Path directory;
  private final FileChannel channel;

  private StoreLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /** @throws StoreException if another holder has it; the message names the holder, as far as known */
  static StoreLock acquire(Path directory) throws IOException {
    return acquire(directory, "manager");
  }

  /**
   * As above, for other kinds of users.
   *
   * @param who the kind of user; the name of the lock
   */
  public static StoreLock acquire(Path directory, String who) throws IOException {
    Path real = directory.toRealPath();
    synchronized (USED) {
      if (!USED.add(real)) {
        throw inUse(directory, who, "this process, " + ProcessHandle.current().pid());
      }
      StoreLock lock = null;
      try {
        lock = lock(real, who);
      } finally {
        if (lock == null) {
          USED.remove(real);
        }
      }
      return lock;
    }
  }

  private static StoreLock lock(Path real, String who) throws IOException {
    FileChannel channel = PrivateFile.open(real.resolve(who + ".lock"), StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw inUse(real, who, "process " + holder(real, who));
      }
      writeHolder(real, who);
      return new StoreLock(real, channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static StoreException inUse(Path directory, String who, String holder) {
    return new StoreException("directory " + directory + " is in use by another " + who + " (" + holder + "); stop that one, or name another directory");
  }

  private static Path holderFile(Path real, String who) {
    return real.resolve(who + ".pid");
  }

  private static String holder(Path real, String who) throws IOException {
    try {
      return Files.readString(holderFile(real, who), StandardCharsets.US_ASCII).strip();
    } catch (NoSuchFileException e) {
      return "unknown";
    }
  }

  private static void writeHolder(Path real, String who) throws IOException {
    try (FileChannel file = PrivateFile.open(holderFile(real, who), StandardOpenOption.WRITE)) {
      file.truncate(0);
      file.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (USED) {
      channel.close();
      USED.remove(directory);
    }
  }
}
