package dev.weft.pvfs.nio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.DirectoryPage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches directories by looking at them periodically. It reports a change within the interval plus the time of a look; several changes of one file
 * in between become one event. A write to a file shows only when the writer has closed the file.
 *
 * <p>Bounds: {@link #KEYS_MAX} directories. For a directory with more than {@link #ENTRIES_MAX} entries, this reports only that something may have
 * changed.
 */
final class PvfsWatchService implements WatchService, Closeable {
  static final int KEYS_MAX = 4096;
  static final int ENTRIES_MAX = 100_000;
  private static final Logger LOG = LoggerFactory.getLogger(PvfsWatchService.class);
  private static final Set<WatchEvent.Kind<?>> KINDS = Set.of(StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE,
      StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.OVERFLOW);

  /** A directory has too many entries. */
  private static final class TooMany extends IOException {
    private static final long serialVersionUID = 1;
  }

  private final PvfsNioFileSystem fileSystem;
  private final Map<Long, PvfsWatchKey> keys = new ConcurrentHashMap<>();
  /** Each key is in it once at most, and once more when it is closed. */
  private final LinkedBlockingQueue<WatchKey> ready = new LinkedBlockingQueue<>(2 * KEYS_MAX);
  private final Thread poller;
  private volatile boolean closed;

  PvfsWatchService(PvfsNioFileSystem fileSystem, Duration interval) {
    this.fileSystem = fileSystem;
    this.poller = Thread.ofPlatform().daemon().name("pvfs-watch-" + fileSystem.name()).start(() -> poll(interval));
  }

  private List<DirectoryPage.Entry> list(long inode) throws IOException {
    PvfsFileSystem files = fileSystem.files();
    List<DirectoryPage.Entry> all = new ArrayList<>();
    for (List<DirectoryPage.Entry> page = files.page(inode, 0); !page.isEmpty(); page = files.page(inode, page.getLast().cookie())) {
      page.stream().filter(entry -> !isDots(entry.name())).forEach(all::add);
      if (all.size() > ENTRIES_MAX) {
        throw new TooMany();
      }
    }
    return all;
  }

  private static boolean isDots(byte[] name) {
    return name[0] == '.' && (name.length == 1 || name.length == 2 && name[1] == '.');
  }

  PvfsWatchKey register(PvfsPath directory, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) throws IOException {
    requireOpen();
    if (directory.getFileSystem() != fileSystem) {
      throw new ProviderMismatchException(directory + " is of another file system, must be of that of the watch service, " + fileSystem);
    }
    Set<WatchEvent.Kind<?>> wished = new HashSet<>();
    for (WatchEvent.Kind<?> each : events) {
      if (!KINDS.contains(java.util.Objects.requireNonNull(each, "a kind of event"))) {
        throw new UnsupportedOperationException("events of kind " + each + "; there are " + KINDS);
      }
      wished.add(each);
    }
    if (wished.isEmpty() || wished.equals(Set.of(StandardWatchEventKinds.OVERFLOW))) {
      throw new IllegalArgumentException("a watch for no events");
    }
    if (modifiers.length > 0) {
      throw new UnsupportedOperationException("modifiers of a watch; the interval is '" + Connection.WATCH_INTERVAL + "' of the file system's environment");
    }
    return Failures.translated(directory, null, () -> register(directory, wished));
  }

  private PvfsWatchKey register(PvfsPath directory, Set<WatchEvent.Kind<?>> kinds) throws IOException {
    var found = fileSystem.files().attributes(directory.text());
    if (!found.isDirectory()) {
      throw Failures.notDirectory(directory);
    }
    PvfsWatchKey had = keys.get(found.inode());
    if (had != null && had.watch(kinds)) {
      return had;
    }
    List<DirectoryPage.Entry> entries;
    try {
      entries = list(found.inode());
    } catch (TooMany most) {
      entries = List.of();
    }
    return added(new PvfsWatchKey(this, directory, found.inode(), kinds, entries), kinds);
  }

  /** Returns this key, or the key that another thread has added meanwhile. */
  private synchronized PvfsWatchKey added(PvfsWatchKey key, Set<WatchEvent.Kind<?>> kinds) throws IOException {
    requireOpen();
    PvfsWatchKey had = keys.get(key.inode());
    if (had != null && had.watch(kinds)) {
      return had;
    }
    if (keys.size() >= KEYS_MAX) {
      throw Failures.because(key.watchable(), KEYS_MAX + " directories are watched, which are as many as there may be");
    }
    keys.put(key.inode(), key);
    return key;
  }

  // Looking.

  private void poll(Duration interval) {
    try {
      while (!closed) {
        Thread.sleep(interval);
        for (PvfsWatchKey key : List.copyOf(keys.values())) {
          look(key);
        }
      }
    } catch (InterruptedException end) {
      LOG.debug("the watch of {} has ended", fileSystem);
    } catch (IllegalStateException ended) {
      LOG.debug("the watch of {} has ended: {}", fileSystem, ended.getMessage());
    }
  }

  private void look(PvfsWatchKey key) {
    try {
      if (!closed) {
        var entries = list(key.inode());
        if (entries.isEmpty()) {
          var found = fileSystem.files().attributes(key.watchable().text()); // A removed directory also has no entries.
          if (found.inode() != key.inode()) {
            key.gone();
            return;
          }
        }
        key.look(entries);
      }
    } catch (TooMany most) {
      key.overflow();
    } catch (PvfsException failed) {
      if (failed.errno() == Errno.ENOENT || failed.errno() == Errno.ENOTDIR || failed.errno() == Errno.ESTALE) {
        key.gone();
      } // Otherwise the directory is unreachable now; the next look finds its changes.
    } catch (IOException failed) {
      LOG.warn("a directory cannot be watched: {}", failed.getMessage());
    }
  }

  // Keys.

  void ready(PvfsWatchKey key) {
    ready.offer(key);
  }

  void forget(PvfsWatchKey key) {
    keys.remove(key.inode(), key);
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedWatchServiceException();
    }
  }

  /** Wakes the waiting threads at the end: each passes the mark on to the next. */
  private WatchKey checked(WatchKey key) {
    if (closed) {
      ready.offer(END);
      throw new ClosedWatchServiceException();
    }
    return key;
  }

  @Override
  public WatchKey poll() {
    requireOpen();
    return checked(ready.poll());
  }

  @Override
  public WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
    requireOpen();
    return checked(ready.poll(timeout, unit));
  }

  @Override
  public WatchKey take() throws InterruptedException {
    requireOpen();
    return checked(ready.take());
  }

  @Override
  public void close() {
    synchronized (this) { // No key can be added later.
      if (closed) {
        return;
      }
      closed = true;
    }
    fileSystem.forget(this);
    poller.interrupt();
    List.copyOf(keys.values()).forEach(PvfsWatchKey::cancel);
    ready.clear();
    ready.offer(END);
  }

  /** The mark that wakes waiting threads when the service is closed. */
  private static final WatchKey END = new WatchKey() {
    @Override
    public boolean isValid() {
      return false;
    }

    @Override
    public List<WatchEvent<?>> pollEvents() {
      return List.of();
    }

    @Override
    public boolean reset() {
      return false;
    }

    @Override
    public void cancel() {
      // It watches nothing.
    }

    @Override
    public java.nio.file.Watchable watchable() {
      return null;
    }
  };
}
