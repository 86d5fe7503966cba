package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.fuse.FuseNotifier;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that programs have mapped. The kernel does not report mmap(2), but its reads for a mapping differ from those for read(2).
 *
 * <p>If pages are read through a writable descriptor, the program can change them unnoticed. So the mount reserves the file for itself at the
 * manager: meanwhile no other client may open it for writing or cut it (EBUSY). If another client has it open for writing, the reservation fails, and
 * the program gets SIGBUS. If pages are read through a read-only descriptor, they are dropped from the kernel's cache once a second while the file
 * changes. Bound: the number of open files. Any thread.
 */
final class MappedFiles {
  private static final Logger LOG = LoggerFactory.getLogger(MappedFiles.class);
  private static final long LOOK_MS = 1_000;
  private static final long NEVER_SEEN = Long.MIN_VALUE;

  private final CacheMode mode;
  private final MetadataCache cache;
  private final OpenFiles open;
  private final Function<MetaRequest, MetaReply> ask;
  private final Consumer<MetaRequest> tell;
  /** Read-only mappings, with the file's time of change at the last invalidation. */
  private final Map<Long, Long> watched = new ConcurrentHashMap<>();
  private FuseNotifier notifier;
  private ScheduledExecutorService thread;

  /**
   * Makes the mapped files of one mount.
   *
   * @param ask asks the manager, and waits
   * @param tell asks the manager without waiting
   */
  MappedFiles(CacheMode mode, MetadataCache cache, OpenFiles open, Function<MetaRequest, MetaReply> ask, Consumer<MetaRequest> tell) {
    this.mode = mode;
    this.cache = cache;
    this.open = open;
    this.ask = ask;
    this.tell = tell;
  }

  synchronized void start(FuseNotifier kernel) {
    notifier = kernel;
  }

  synchronized void close() {
    notifier = null;
    if (thread != null) {
      thread.shutdownNow();
    }
  }

  /** Call before pages of a mapping are read or written. Returns OK, or the error: EBUSY while the file is open for writing elsewhere. */
  int pages(OpenFiles.OpenFile file) {
    if (file == null) {
      return Errno.EBADF;
    }
    if (file.writing() != null) {
      return bind(file);
    }
    if (mode != CacheMode.FULL && watched.putIfAbsent(file.inode, NEVER_SEEN) == null) { // In mode FULL, read(2) also reads pages.
      watch();
    }
    return Errno.OK;
  }

  private int bind(OpenFiles.OpenFile file) {
    synchronized (file.writing().mapping) {
      if (file.writing().mapping.isBound) {
        return Errno.OK;
      }
      int errno = ask.apply(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, file.inode, MetaRequest.MAPS)).errno();
      file.writing().mapping.isBound = errno == Errno.OK;
      return errno;
    }
  }

  /** Logs once that the file stays busy; returns the error that the program gets. */
  int refuse(OpenFiles.OpenFile file) {
    synchronized (file.writing().mapping) {
      if (!file.writing().mapping.isRefused) {
        file.writing().mapping.isRefused = true;
        LOG.warn("file {} is mapped to be written here, and another mount or client has it open to write: the program gets SIGBUS, or EIO; use it through "
            + "one mount only", file.inode);
      }
    }
    return Errno.EIO;
  }

  /** The last writable descriptor is closed, so no mapping of it is left. */
  void unbind(OpenFiles.OpenFile file) {
    synchronized (file.writing().mapping) {
      if (file.writing().mapping.isBound) {
        file.writing().mapping.isBound = false;
        tell.accept(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file.inode, MetaRequest.NOT_WRITTEN, MetaRequest.UNMAPS, 0, 1));
      }
    }
  }

  private synchronized void watch() {
    if (thread == null && notifier != null) {
      thread = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("pvfs-mapped").factory());
      thread.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    try {
      if (!watched.isEmpty()) {
        Set<Long> still = open.inodes();
        watched.keySet().retainAll(still);
        watched.keySet().forEach(this::look);
      }
    } catch (IllegalStateException closing) {
      LOG.debug("mapped files are not looked at any more: {}", closing.getMessage());
    }
  }

  private void look(long inode) {
    MetadataCache.Known known = cache.inode(inode);
    if (known == null) {
      MetaReply reply = ask.apply(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, inode));
      if (reply.errno() != Errno.OK) {
        return; // The next look tries again.
      }
      known = new MetadataCache.Known(reply.attributes(), (reply.number() & MetaReply.LENGTH_OPEN) != 0);
    }
    long changedNs = known.attributes().ctimeNs();
    Long seenNs = watched.replace(inode, changedNs);
    boolean mayChange = known.isLengthOpen() || seenNs != null && seenNs != changedNs;
    FuseNotifier kernel = kernel();
    if (mayChange && !open.isBound(inode) && kernel != null) {
      kernel.invalidateInode(inode, 0, 0);
    }
  }

  private synchronized FuseNotifier kernel() {
    return notifier;
  }
}
