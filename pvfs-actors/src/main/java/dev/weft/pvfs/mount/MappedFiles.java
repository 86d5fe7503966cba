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
 * Files that programs have mapped. The kernel does not tell of mmap(2), but it reads the pages of a mapping in another way than it reads for read(2).
 *
 * <p>Pages that are read through a descriptor that may write can be changed by the program without a word. So the mount then binds the file to itself at the
 * manager: while it is bound nobody else may open or cut it to write (EBUSY), and where somebody else has it open to write it cannot be bound: the program
 * gets SIGBUS. Pages that are read through a descriptor that only reads are dropped from the kernel's cache, once a second, while the file changes. Bound:
 * files that are open. Any thread.
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
  /** Read-only mappings, with the time of the last change when the kernel was told last. */
  private final Map<Long, Long> watched = new ConcurrentHashMap<>();
  private FuseNotifier notifier;
  private ScheduledExecutorService thread;

  /**
   * Of one mount.
   *
   * @param ask the manager, and waits
   * @param tell the manager, and does not wait
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

  /** Pages are read for a mapping, or written for one; OK, or why they must not be: EBUSY while the file is open to write elsewhere. */
  int pages(OpenFiles.OpenFile file) {
    if (file == null) {
      return Errno.EBADF;
    }
    if (file.writing() != null) {
      return bind(file);
    }
    if (mode != CacheMode.FULL && watched.putIfAbsent(file.inode, NEVER_SEEN) == null) { // In that mode read(2) reads pages, too.
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

  /** Says once that it stays EBUSY; returns the error that the program gets. */
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

  /** The last descriptor that may write is closed, and so no mapping of it is left. */
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
        return; // It is looked at again.
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
