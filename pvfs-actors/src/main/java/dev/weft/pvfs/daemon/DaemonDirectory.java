package dev.weft.pvfs.daemon;

import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.fabric.files.PrivateFile;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.store.StoreLock;
import dev.weft.pvfs.wire.Hello;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The directory of a daemon, with the lock and the identity in it. {@code daemon.format} has the version of the contents, the file system, the
 * daemon, the number of starts, and a random number. Errors are {@link StoreException}s with a message for the operator.
 */
final class DaemonDirectory implements AutoCloseable {
  private static final String VERSION = "1";
  private static final String FORMAT = "daemon.format";

  private final Path path;
  private final StoreLock lock;
  private final Properties format;
  private final Disk disk;
  private final long identity;
  /** The number that {@link #renumber} will use. */
  private final long nextNumber;
  private boolean isRenumbered;

  private DaemonDirectory(Path path, StoreLock lock, Properties format, long keptBytes, long nextNumber) throws IOException {
    this.path = path;
    this.lock = lock;
    this.format = format;
    this.nextNumber = nextNumber;
    this.disk = new LinuxDisk(path, keptBytes, this::renumber);
    this.identity = Hello.onDisk(Long.parseUnsignedLong(format.getProperty("number"), 16) ^ disk.boot());
  }

  /**
   * Locks the directory, and creates it if missing.
   *
   * @param daemon the daemon that it must belong to, by the name of its node
   * @param fileSystem the file system that it must belong to, or "" for any; a new directory then gets a random one
   * @param keptBytes of its disk: with less than that free, data takes no more
   */
  static DaemonDirectory open(Path directory, String daemon, String fileSystem, long keptBytes, RandomGenerator random) {
    String problem = LinuxDisk.problem();
    if (problem != null) {
      throw new StoreException(problem);
    }
    StoreLock lock = null;
    try {
      PrivateDirectory.create(directory, "name another one for the daemon");
      lock = StoreLock.acquire(directory, "daemon");
      Properties format = format(directory, daemon, fileSystem, random);
      int run = Integer.parseInt(format.getProperty("run")) + 1;
      format.setProperty("run", String.valueOf(run));
      format.putIfAbsent("number", Long.toHexString(random.nextLong())); // Older directories have none.
      write(directory, format);
      DaemonDirectory opened = new DaemonDirectory(directory, lock, format, keptBytes, random.nextLong());
      opened.disk.syncAll(); // After a kill, the kernel may have data of the daemon that was never synced.
      return opened;
    } catch (IOException | RuntimeException refused) {
      release(lock);
      throw refused instanceof StoreException said ? said : new StoreException("directory " + directory + " cannot keep stripes: " + why(refused)
          + "; name one that can be read and written", refused);
    }
  }

  private static String why(Exception refused) {
    return refused instanceof AccessDeniedException denied ? "access to " + denied.getFile() + " is denied" : refused.getMessage();
  }

  private static void release(StoreLock lock) {
    if (lock != null) {
      try {
        lock.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static Properties format(Path directory, String daemon, String fileSystem, RandomGenerator random) throws IOException {
    Properties format = new Properties();
    try (var in = Files.newBufferedReader(directory.resolve(FORMAT), StandardCharsets.UTF_8)) {
      format.load(in);
    } catch (NoSuchFileException isNew) {
      requireEmpty(directory);
      format.setProperty("version", VERSION);
      format.setProperty("file-system", fileSystem.isEmpty() ? Long.toHexString(random.nextLong()) : fileSystem);
      format.setProperty("daemon", daemon);
      format.setProperty("run", "0");
    } catch (IllegalArgumentException garbage) {
      throw new StoreException(directory.resolve(FORMAT) + " is damaged: " + garbage.getMessage(), garbage);
    }
    require(directory, format, "version", VERSION, "the layout of version");
    require(directory, format, "daemon", daemon, "the stripes of daemon");
    if (!fileSystem.isEmpty()) {
      require(directory, format, "file-system", fileSystem, "stripes of file system");
    }
    if (!format.getProperty("run", "").matches("\\d{1,9}")) {
      throw new StoreException(directory.resolve(FORMAT) + " is damaged: 'run' is '" + format.getProperty("run") + "', must be a number");
    }
    if (!format.getProperty("number", "0").matches("[0-9a-f]{1,16}")) {
      throw new StoreException(directory.resolve(FORMAT) + " is damaged: 'number' is '" + format.getProperty("number")
          + "', must be of 1 to 16 hexadecimal digits");
    }
    return format;
  }

  private static void requireEmpty(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      String stranger = all.map(each -> each.getFileName().toString())
          .filter(name -> !name.equals("daemon.lock") && !name.equals("daemon.pid") && !name.startsWith(FORMAT) && !name.equals("lost+found"))
          .findFirst().orElse(null);
      if (stranger != null) {
        throw new StoreException("directory " + directory + " has " + stranger + " and no " + FORMAT
            + ", so it is not the directory of an I/O daemon; name an empty or a new one");
      }
    }
  }

  private static void require(Path directory, Properties format, String key, String wanted, String what) {
    String found = format.getProperty(key);
    if (!wanted.equals(found)) {
      throw new StoreException("directory " + directory + " has " + what + " " + found + ", not of " + wanted + "; name that of " + wanted);
    }
  }

  /** Replaces the file as a whole. */
  private static void write(Path directory, Properties format) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String key : format.stringPropertyNames().stream().sorted().toList()) {
      text.append(key).append('=').append(format.getProperty(key)).append('\n');
    }
    PrivateFile.replace(directory.resolve(FORMAT), text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Changes the identity: written data may be lost although the machine stays up, so the next daemon must count as a different one. Any thread. */
  synchronized void renumber() {
    if (!isRenumbered) {
      format.setProperty("number", Long.toHexString(nextNumber));
      try {
        write(path, format);
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
      isRenumbered = true;
    }
  }

  Path path() {
    return path;
  }

  Disk disk() {
    return disk;
  }

  /** Returns the number of starts on this directory. */
  int run() {
    return Integer.parseInt(format.getProperty("run"));
  }

  /** Returns the identity for {@link Hello}: it differs for another directory, after a restart of the machine, and after a failed sync. */
  long identity() {
    return identity;
  }

  String fileSystem() {
    return format.getProperty("file-system");
  }

  @Override
  public void close() {
    release(lock);
  }
}
