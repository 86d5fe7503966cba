package dev.weft.pvfs.daemon;

import dev.weft.fabric.memory.Syscall;
import dev.weft.pvfs.Errno;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * A directory of this host. The last two hexadecimal digits of an object's number select one of 256 directories: {@code objects/2a/000000000000002a},
 * with its checksums in {@code .sums} beside it. Uses system calls: these report errors precisely, and interrupting the thread does not close the
 * file.
 */
final class LinuxDisk implements Disk {
  private enum Call {
    READ(17, 67),
    WRITE(18, 68),
    CLOSE(3, 57),
    LSEEK(8, 62),
    FSYNC(74, 82),
    FDATASYNC(75, 83),
    FTRUNCATE(77, 46),
    OPENAT(257, 56),
    MKDIRAT(258, 34),
    SYNCFS(306, 267),
    UNLINKAT(263, 35),
    FALLOCATE(285, 47);

    final long number;

    Call(int amd64, int aarch64) {
      number = Syscall.number(amd64, aarch64);
    }
  }

  private static final int EINTR = -4;
  private static final int ENXIO = -6;
  private static final int ENOTSUP = -95;
  private static final int CURRENT_DIRECTORY = -100;
  private static final int READ_CLOSE_ON_EXEC = 0x80000;
  private static final int READ_WRITE_CLOSE_ON_EXEC = 2 | READ_CLOSE_ON_EXEC;
  private static final int MAKES = 0x40;
  private static final int FOLLOWS_NO_LINK = System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;
  private static final int OWNER_ONLY = 0600;
  private static final int OWNERS_DIRECTORY = 0700;
  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int PUNCH_KEEPING_SIZE = 3;
  private static final String SUMS = ".sums";
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final int NAME_DIGITS = 16;
  /** Zeros written at a time, if the disk cannot make holes. */
  private static final int ZEROS_BYTES = 1 << 20;

  private final Path objects;
  private final FileStore store;
  private final long keptBytes;
  private final Runnable whenLost;

  /**
   * Uses a directory.
   *
   * @param directory must exist
   * @param keptBytes of its disk: with less than that free, data takes no more
   * @param whenLost called after a failed sync: data in the kernel may then be lost, although the machine stays up. Any thread; may throw
   *     {@link UncheckedIOException}
   */
  LinuxDisk(Path directory, long keptBytes, Runnable whenLost) throws IOException {
    this.keptBytes = keptBytes;
    this.whenLost = whenLost;
    objects = directory.resolve("objects");
    if (Files.notExists(objects)) {
      Files.createDirectory(objects);
    }
    store = Files.getFileStore(objects);
  }

  /** Returns why this machine cannot be used; null if it can. */
  static String problem() {
    return Syscall.problem("a daemon that keeps stripes in a directory");
  }

  private static long call(Call call, long a, long b, long c, long d) {
    long result;
    do {
      result = Syscall.call(call.number, a, b, c, d, 0, 0);
    } while (result == EINTR);
    return result;
  }

  private static long require(long result, String what, Path file) {
    if (result < 0) {
      throw new DiskException((int) -result, what + " " + file + ": " + Errno.name((int) -result));
    }
    return result;
  }

  private Path directoryOf(long object) {
    return objects.resolve(String.format(Locale.ROOT, "%02x", object & 0xff));
  }

  private Path path(long object, Kind kind) {
    return directoryOf(object).resolve(String.format(Locale.ROOT, "%016x", object) + (kind == Kind.SUMS ? SUMS : ""));
  }

  @Override
  public File open(long object, Kind kind, boolean makes) {
    Path path = path(object, kind);
    long fd = open(path, READ_WRITE_CLOSE_ON_EXEC | FOLLOWS_NO_LINK | (makes ? MAKES : 0));
    if (fd == -Errno.ENOENT && makes) {
      makeDirectory(directoryOf(object));
      fd = open(path, READ_WRITE_CLOSE_ON_EXEC | FOLLOWS_NO_LINK | MAKES);
    }
    return fd == -Errno.ENOENT ? null : new OpenFile(this, (int) require(fd, "cannot open", path), path, kind == Kind.DATA);
  }

  private static long open(Path path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return call(Call.OPENAT, CURRENT_DIRECTORY, arena.allocateFrom(path.toString()).address(), flags, OWNER_ONLY);
    }
  }

  private void makeDirectory(Path directory) {
    long made;
    try (Arena arena = Arena.ofConfined()) {
      made = call(Call.MKDIRAT, CURRENT_DIRECTORY, arena.allocateFrom(directory.toString()).address(), OWNERS_DIRECTORY, 0);
    }
    if (made == -Errno.EEXIST) {
      return; // Another thread, or an earlier run, has created it.
    }
    require(made, "cannot make", directory);
    boolean isSynced = false;
    try {
      sync(objects);
      isSynced = true;
    } finally {
      if (!isSynced) {
        directory.toFile().delete(); // So a retry does not take it for a directory that was synced.
      }
    }
  }

  private static void sync(Path directory) {
    sync(directory, Call.FSYNC);
  }

  private static void sync(Path directory, Call how) {
    int fd = (int) require(open(directory, READ_CLOSE_ON_EXEC), "cannot open", directory);
    try {
      require(call(how, fd, 0, 0, 0), "cannot sync", directory);
    } finally {
      close(fd);
    }
  }

  /** Closes only once: the number is free even after an interrupted call, and another file may have it already. */
  private static void close(int fd) {
    Syscall.call(Call.CLOSE.number, fd, 0, 0, 0, 0, 0);
  }

  @Override
  public boolean remove(long object, Kind kind) {
    Path path = path(object, kind);
    try (Arena arena = Arena.ofConfined()) {
      long result = call(Call.UNLINKAT, CURRENT_DIRECTORY, arena.allocateFrom(path.toString()).address(), 0, 0);
      if (result == -Errno.ENOENT) {
        return false;
      }
      require(result, "cannot remove", path);
      return true;
    }
  }

  @Override
  public void syncName(long object) {
    orLose(() -> sync(directoryOf(object)));
  }

  private void orLose(Runnable sync) {
    try {
      sync.run();
    } catch (DiskException failed) {
      throw lost(failed);
    }
  }

  private DiskException lost(DiskException failed) {
    try {
      whenLost.run();
      return failed;
    } catch (UncheckedIOException unsaid) {
      return new DiskException(failed.errno, failed.getMessage() + "; and the next daemon is not told: " + unsaid.getMessage());
    }
  }

  /** Returns the kernel's boot number: data that a dead process has written stays with the kernel. Returns a random number if the kernel has none. */
  @Override
  public long boot() {
    try {
      UUID boot = UUID.fromString(Files.readString(BOOT_ID).strip());
      return boot.getMostSignificantBits() ^ boot.getLeastSignificantBits();
    } catch (IOException | IllegalArgumentException unknown) {
      return ThreadLocalRandom.current().nextLong();
    }
  }

  @Override
  public void syncAll() {
    orLose(() -> sync(objects, Call.SYNCFS));
  }

  @Override
  public void list(long after, Visitor visitor) {
    try (Stream<Path> all = Files.list(objects)) {
      for (Path directory : (Iterable<Path>) all::iterator) {
        listDirectory(directory, after, visitor);
      }
    } catch (IOException failed) {
      throw new DiskException(Errno.EIO, "cannot list " + objects + ": " + failed.getMessage());
    }
  }

  private static void listDirectory(Path directory, long after, Visitor visitor) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        long object = name.length() == NAME_DIGITS ? numberOf(name) : -1;
        if (object > after) {
          visitor.visit(object, file.toFile()::length);
        }
      }
    }
  }

  private static long numberOf(String name) {
    try {
      return Long.parseUnsignedLong(name, 16);
    } catch (NumberFormatException stranger) {
      return -1;
    }
  }

  @Override
  public long freeBytes() {
    return Math.max(0, usableBytes() - keptBytes);
  }

  private long usableBytes() {
    try {
      return store.getUsableSpace();
    } catch (IOException failed) {
      throw new DiskException(Errno.EIO, "cannot read the free space of " + objects + ": " + failed.getMessage());
    }
  }

  @Override
  public long totalBytes() {
    try {
      return store.getTotalSpace();
    } catch (IOException failed) {
      throw new DiskException(Errno.EIO, "cannot read the size of " + objects + ": " + failed.getMessage());
    }
  }

  /** Returns the number of the file system, valid until the machine restarts. */
  @Override
  public int number() {
    try {
      int number = Objects.hash(Files.getAttribute(objects, "unix:dev"), boot());
      return number == 0 ? 1 : number;
    } catch (IOException | UnsupportedOperationException unknown) {
      return 0;
    }
  }

  /** @param leavesRoom whether new space must leave the reserve free */
  private record OpenFile(LinuxDisk disk, int fd, Path path, boolean leavesRoom) implements File {
    @Override
    public long bytes() {
      return require(call(Call.LSEEK, fd, 0, SEEK_END, 0), "cannot read the length of", path);
    }

    @Override
    public int read(long at, MemorySegment to) {
      long done = 0;
      while (done < to.byteSize()) {
        long count = require(call(Call.READ, fd, to.address() + done, to.byteSize() - done, at + done), "cannot read", path);
        if (count == 0) {
          break;
        }
        done += count;
      }
      return (int) done;
    }

    @Override
    public void write(long at, MemorySegment from) {
      if (leavesRoom && disk.keptBytes > 0) {
        requireRoom(at, from.byteSize());
      }
      put(at, from);
    }

    /** Requires free space, except for overwriting existing data, which works however full the disk is. */
    private void requireRoom(long at, long bytes) {
      long usable = disk.usableBytes();
      if (usable < disk.keptBytes && !isWhole(at, bytes)) {
        throw new DiskException(Errno.ENOSPC, "no room for " + bytes + " bytes of " + path + ": " + usable + " are free, must be " + disk.keptBytes
            + " (weft.pvfs.daemon.reserve)");
      }
    }

    private boolean isWhole(long at, long bytes) {
      long hole = call(Call.LSEEK, fd, at, SEEK_HOLE, 0);
      return hole >= at + bytes && at + bytes <= bytes();
    }

    private void put(long at, MemorySegment from) {
      long done = 0;
      while (done < from.byteSize()) {
        done += require(call(Call.WRITE, fd, from.address() + done, from.byteSize() - done, at + done), "cannot write", path);
      }
    }

    @Override
    public void truncate(long bytes) {
      require(call(Call.FTRUNCATE, fd, bytes, 0, 0), "cannot change the length of", path);
    }

    @Override
    public void punch(long at, long bytes) {
      long result = call(Call.FALLOCATE, fd, PUNCH_KEEPING_SIZE, at, bytes);
      if (result == ENOTSUP || result == -Errno.ENOSYS) {
        writeZeros(at, bytes);
      } else {
        require(result, "cannot make a hole in", path);
      }
    }

    private void writeZeros(long at, long bytes) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment zeros = arena.allocate(Math.min(bytes, ZEROS_BYTES));
        for (long done = 0; done < bytes; done += zeros.byteSize()) {
          put(at + done, zeros.asSlice(0, Math.min(zeros.byteSize(), bytes - done)));
        }
      }
    }

    @Override
    public long nextData(long at) {
      long result = call(Call.LSEEK, fd, at, SEEK_DATA, 0);
      return result == ENXIO ? bytes() : result < 0 ? at : result; // If the system cannot tell, data may be anywhere.
    }

    @Override
    public void sync() {
      disk.orLose(() -> require(call(Call.FDATASYNC, fd, 0, 0, 0), "cannot sync", path));
    }

    @Override
    public void close() {
      LinuxDisk.close(fd);
    }
  }
}
