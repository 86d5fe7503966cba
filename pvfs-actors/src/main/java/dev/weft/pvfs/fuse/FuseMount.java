package dev.weft.pvfs.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file system that is mounted at a directory and served by threads of this JVM. The JVM must not use the mount itself. Any thread may close it,
 * except those of its operations. If the process dies, the kernel fails all uses of the mount, and {@code umount -l} removes it.
 */
public final class FuseMount implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FuseMount.class);
  private static final long END_MS = 500;

  private final Path directory;
  private final FuseOptions options;
  private final FuseSession session;
  private final MountTable.Mount mount;
  private final Negotiation negotiation;

  private FuseMount(Path directory, FuseOptions options, FuseSession session, MountTable.Mount mount, Negotiation negotiation) {
    this.directory = directory;
    this.options = options;
    this.session = session;
    this.mount = mount;
    this.negotiation = negotiation;
    session.whenKernelEnds(this::detachDead);
  }

  /**
   * Mounts, and returns when the kernel and the file system have negotiated.
   *
   * @param directory an existing one; its contents are hidden until the mount ends
   * @throws IOException if the machine or the rights of this process do not allow it; the message says what is missing
   */
  public static FuseMount mount(FuseFileSystem files, Path directory, FuseOptions options) throws IOException {
    options.check();
    String problem = LinuxCalls.problem();
    if (problem != null) {
      throw new IOException(problem);
    }
    Path real = realPath(directory);
    FuseSession session = new FuseSession(files, options, Mounts.mount(real, options));
    try {
      Negotiation negotiation = session.start();
      MountTable.Mount mount = MountTable.at(real);
      if (mount == null) {
        throw new IOException(real + " was mounted and is not among this process's mounts: somebody else has unmounted it");
      }
      FuseMount mounted = new FuseMount(real, options, session, mount, negotiation);
      mounted.readAhead();
      return mounted;
    } catch (IOException | RuntimeException refused) {
      session.close();
      Mounts.unmount(real, true, options);
      throw refused;
    }
  }

  private static Path realPath(Path directory) throws IOException {
    try {
      Path real = directory.toRealPath();
      requireUtf8(real);
      return real;
    } catch (IOException unusable) {
      throw new IOException(directory + " cannot be mounted on: " + unusable.getMessage()
          + "; make it with mkdir, or unmount a dead mount there with umount -l", unusable);
    }
  }

  /** The kernel gets the name in UTF-8; text in another encoding would name another directory. */
  private static void requireUtf8(Path directory) throws IOException {
    String encoding = System.getProperty("sun.jnu.encoding");
    boolean isAscii = directory.toString().chars().allMatch(one -> one < 0x80);
    if (!isAscii && (!encoding.equals("UTF-8") || !Path.of(directory.toString()).equals(directory))) {
      throw new IOException("its name is not UTF-8, or the locale is not, whose encoding is " + encoding);
    }
  }

  /** Raises the kernel's read-ahead from 128 KiB, which only root may do. */
  private void readAhead() {
    if (options.cache != CacheMode.FULL || options.readAheadBytes <= negotiation.readAheadBytes()) {
      return;
    }
    try {
      Files.writeString(Path.of("/sys/class/bdi", mount.device(), "read_ahead_kb"), Integer.toString(options.readAheadBytes >> 10));
    } catch (IOException forbidden) {
      LOG.debug("the kernel keeps its own read-ahead: {}", forbidden.getMessage());
    }
  }

  /**
   * Unmounts a directory, whichever process serves it. This fails while the mount is in use; with {@code isLazy} it succeeds at once, and open files
   * stay usable until they are closed.
   *
   * @param options only mounts with this name are unmounted
   * @throws IllegalArgumentException if there is no such mount; the message says what is mounted there
   * @throws IOException with the obstacle
   */
  public static void unmount(Path directory, boolean isLazy, FuseOptions options) throws IOException {
    Path place = placeOf(directory);
    MountTable.Mount found = MountTable.at(place);
    if (found == null || !found.type().equals("fuse." + options.name)) {
      throw new IllegalArgumentException(directory + " is no mount of type fuse." + options.name + ": "
          + (found == null ? "nothing is mounted there" : "what is mounted there is of type " + found.type()));
    }
    String problem = Mounts.unmount(place, isLazy, options);
    if (problem != null) {
      throw new IOException(directory + " cannot be unmounted: " + problem);
    }
  }

  /** Returns the path as in the kernel's table. Does not touch the mount itself, whose server may be dead. */
  private static Path placeOf(Path directory) {
    Path absolute = directory.toAbsolutePath().normalize();
    try {
      return absolute.getParent() == null ? absolute : absolute.getParent().toRealPath().resolve(absolute.getFileName());
    } catch (IOException unreachable) {
      return absolute;
    }
  }

  /** The directory of the mount, without symbolic links. */
  public Path directory() {
    return directory;
  }

  /** The negotiated minor version of protocol 7. */
  public int minorVersion() {
    return negotiation.minor();
  }

  /** Requests that were read and not answered yet, including waiting locks. */
  public int outstanding() {
    return session.outstanding().count();
  }

  /** Waiting locks. */
  public int waitingLocks() {
    return session.outstanding().waitingLocks();
  }

  /** Free buffers, of those in the options and one for each thread. */
  public int freeBuffers() {
    return session.buffers().freeCount();
  }

  /** Exceptions of the file system, answers that the kernel refused, and invalid messages of the kernel. Each kind was logged once. */
  public long failures() {
    return session.handler().failures();
  }

  /** Completes when the mount has ended, by close or by an unmount elsewhere, and the file system has been told. */
  public CompletableFuture<Void> ended() {
    return session.ended().copy();
  }

  /**
   * Unmounts. The kernel first writes its cache back. If that takes longer than the options allow, or files are still open, outstanding requests are
   * answered with EIO, and open files give ENOTCONN. A newer mount at the same directory stays. Idempotent.
   */
  @Override
  public void close() {
    if (!session.isEndedByKernel()) {
      endMount();
    }
    session.close();
  }

  private void endMount() {
    Thread unmounting = Thread.ofPlatform().daemon().name("fuse-" + options.name + "-unmount").start(this::unmount);
    try {
      unmounting.join(Math.max(TimeUnit.NANOSECONDS.toMillis(options.closeTimeoutNs), 1));
      if (!unmounting.isAlive() && session.outstanding().count() == 0) {
        waitForEnd();
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The kernel has ended the connection. Usually the mount was removed before. If instead its connection was aborted, the useless mount is removed
   * now. Later this could not be decided: the kernel reuses the numbers of mounts and devices.
   */
  private void detachDead() {
    try {
      if (mount.equals(MountTable.at(directory))) {
        LOG.warn("the FUSE connection of {} was aborted without an unmount; unmounting it now", directory);
        Mounts.unmount(directory, true, options);
      }
    } catch (IOException unreadable) {
      LOG.debug("{} is not unmounted: {}", directory, unreadable.getMessage());
    }
  }

  /** Waits for a clean end: the kernel itself tells the threads. */
  private void waitForEnd() throws InterruptedException {
    try {
      session.ended().get(END_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException stillOpen) {
      LOG.debug("{} is still in use by a program", directory);
    }
  }

  private void unmount() {
    try {
      if (!mount.equals(MountTable.at(directory))) {
        return;
      }
      String problem = Mounts.unmount(directory, false, options);
      if (problem != null) {
        String lazyProblem = Mounts.unmount(directory, true, options);
        if (lazyProblem != null) {
          LOG.error("{} cannot be unmounted: {}; run 'umount -l {}'", directory, lazyProblem, directory);
        }
      }
    } catch (IOException unreadable) {
      LOG.error("{} is not unmounted: {}", directory, unreadable.getMessage());
    }
  }
}
