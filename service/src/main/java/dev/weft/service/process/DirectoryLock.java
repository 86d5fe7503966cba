package dev.weft.service.process;

import dev.weft.fabric.memory.CLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A shared BSD lock on a directory. systemd-tmpfiles leaves a locked directory and its content alone (tmpfiles.d(5)). The kernel also lists the
 * processes that hold such a lock, so that a fabric can be found after its records are deleted. A JVM without native access holds no lock.
 */
final class DirectoryLock implements AutoCloseable {
  private static final int O_CLOEXEC = 02000000;
  private static final int LOCK_SH_NB = 1 | 4;
  private static final Path LOCKS = Path.of("/proc/locks");
  private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));
  private static final MethodHandle OPEN = CLibrary.findIfAllowed("open",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT), Linker.Option.firstVariadicArg(2));
  private static final MethodHandle FLOCK = CLibrary.findIfAllowed("flock",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final MethodHandle CLOSE = CLibrary.findIfAllowed("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  /** Identity of the locked directory; another directory may have taken its name since. */
  private final Object inode;
  private final int descriptor;

  private DirectoryLock(Object inode, int descriptor) {
    this.inode = inode;
    this.descriptor = descriptor;
  }

  /**
   * Takes the lock. Returns null without native access, if the file system has no such locks, or while another process holds an exclusive lock.
   */
  static DirectoryLock take(Path directory) throws IOException {
    if (OPEN == null || FLOCK == null || CLOSE == null) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      Object inode = inode(directory);
      int descriptor = (int) OPEN.invokeExact(arena.allocateFrom(directory.toString(), NAMES), O_CLOEXEC);
      if (descriptor < 0) {
        return null;
      }
      if ((int) FLOCK.invokeExact(descriptor, LOCK_SH_NB) != 0) {
        int _ = (int) CLOSE.invokeExact(descriptor);
        return null;
      }
      return new DirectoryLock(inode, descriptor);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("open(2) and flock(2) throw nothing", e);
    }
  }

  private static Object inode(Path directory) throws IOException {
    return Files.getAttribute(directory, "unix:ino");
  }

  /** Whether this lock is on the directory that has the name {@code directory} now. */
  boolean isOn(Path directory) throws IOException {
    return inode.equals(inode(directory));
  }

  /** Returns the processes that hold a lock on {@code directory}, as far as this user may see them. */
  static List<Long> holders(Path directory) throws IOException {
    if (!Files.isReadable(LOCKS)) {
      return List.of();
    }
    String end = ":" + inode(directory);
    Path real = directory.toRealPath();
    return Files.readAllLines(LOCKS).stream().map(line -> line.trim().split("\\s+"))
        .filter(words -> words.length > 5 && words[1].equals("FLOCK") && words[5].endsWith(end))
        .map(words -> Long.parseLong(words[4])).filter(pid -> hasOpen(pid, real)).distinct().sorted().toList();
  }

  /** Whether the process has the directory open. Inode numbers alone do not tell, because they are unique only within one file system. */
  private static boolean hasOpen(long pid, Path directory) {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      return descriptors.anyMatch(descriptor -> isLinkTo(descriptor, directory));
    } catch (IOException | UncheckedIOException endedOrForeign) {
      return false;
    }
  }

  private static boolean isLinkTo(Path descriptor, Path directory) {
    try {
      return Files.readSymbolicLink(descriptor).equals(directory);
    } catch (IOException closed) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      int _ = (int) CLOSE.invokeExact(descriptor);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("close(2) throws nothing", e);
    }
  }
}
