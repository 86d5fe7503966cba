package dev.weft.pvfs.store;

import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.pvfs.Errno;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A store in a directory, kept by RocksDB. Its log has each synced batch on disk before {@link #commit} returns, with a checksum. Opening ignores a
 * batch that a crash has cut off; damage within acknowledged batches is an error, never a shorter history.
 *
 * <p>After a failed write the state of the disk is unknown: the store is then closed, and reopening it shows the truth. A disk that is almost full is
 * detected before that, and changes are rejected without harm. All threads, one after the other.
 */
public final class RocksStore implements MetadataStore {
  private final Path directory;
  private final RocksSettings settings;
  private final StoreLock lock;
  private final FileStore fileSystem;
  private final RocksOptions options;
  private final RocksDB db;
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final WriteOptions unsynced = new WriteOptions();
  private final ReadOptions reads = new ReadOptions();
  private String closedBecause;

  private RocksStore(Path directory, RocksSettings settings, StoreLock lock) throws IOException, RocksDBException {
    this.directory = directory;
    this.settings = settings;
    this.lock = lock;
    fileSystem = Files.getFileStore(directory);
    options = new RocksOptions(settings);
    try {
      db = RocksDB.open(options.get(), directory.resolve("rocks").toString());
    } catch (RocksDBException e) {
      closeOptions();
      throw e;
    }
  }

  /**
   * Opens the store of a directory, and creates both if they are missing.
   *
   * @throws StoreException if another manager uses it, if it cannot be read or written, belongs to another user, or is damaged
   */
  public static RocksStore open(Path directory, RocksSettings settings) {
    StoreLock lock = null;
    try {
      LoadedLibrary.load();
      PrivateDirectory.create(directory, "name another directory for the metadata");
      lock = StoreLock.acquire(directory);
      return new RocksStore(directory, settings, lock);
    } catch (IOException | RocksDBException | UnsatisfiedLinkError e) {
      release(lock, e);
      throw new StoreException("metadata in directory " + directory + " cannot be opened: " + e.getMessage()
          + "; it must be a directory that this user may write to, with room, as a manager has left it", e);
    }
  }

  private static void release(StoreLock lock, Throwable failure) {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public synchronized byte[] get(byte[] key) {
    checkOpen();
    try {
      return db.get(reads, key);
    } catch (RocksDBException e) {
      throw failed("cannot be read", e);
    }
  }

  @Override
  public synchronized void commit(Batch batch, boolean sync) {
    checkOpen();
    checkRoom();
    try (WriteBatch writes = new WriteBatch()) {
      fill(writes, batch);
      db.write(sync ? synced : unsynced, writes);
    } catch (RocksDBException e) {
      StoreException failure = failed("could not write a batch, of which all or nothing is on disk now", e);
      close("was closed by a failed write: " + e.getMessage() + "; open it again");
      throw failure;
    }
  }

  private static void fill(WriteBatch writes, Batch batch) throws RocksDBException {
    for (var change : batch.from(new byte[0]).entrySet()) {
      if (change.getValue() == null) {
        writes.delete(change.getKey());
      } else {
        writes.put(change.getKey(), change.getValue());
      }
    }
  }

  @Override
  public synchronized List<Entry> scan(byte[] prefix, byte[] from, int limit) {
    checkOpen();
    MetadataStore.checkLimit(limit);
    List<Entry> found = new ArrayList<>();
    try (RocksIterator iterator = db.newIterator(reads)) {
      for (iterator.seek(Batch.ORDER.compare(from, prefix) < 0 ? prefix : from); iterator.isValid() && found.size() < limit; iterator.next()) {
        byte[] key = iterator.key();
        if (!MetadataStore.hasPrefix(key, prefix)) {
          return found;
        }
        found.add(new Entry(key, iterator.value()));
      }
      iterator.status();
    } catch (RocksDBException e) {
      throw failed("cannot be read", e);
    }
    return found;
  }

  @Override
  public boolean isFull() {
    return free() < settings.reserveBytes();
  }

  private void checkRoom() {
    long free = free();
    if (free < settings.reserveBytes() / 4) {
      throw new StoreException("metadata in directory " + directory + " was not written: only " + free + " bytes are free there, "
          + settings.reserveBytes() / 4 + " must be; nothing was changed", Errno.ENOSPC, null);
    }
  }

  private long free() {
    try {
      return fileSystem.getUsableSpace();
    } catch (IOException e) {
      throw new StoreException("free space of directory " + directory + " cannot be asked: " + e.getMessage(), e);
    }
  }

  private StoreException failed(String what, RocksDBException e) {
    return new StoreException("metadata in directory " + directory + " " + what + ": " + e.getMessage(), errno(e), e);
  }

  private static int errno(RocksDBException e) {
    boolean isFull = e.getStatus() != null && e.getStatus().getSubCode() == Status.SubCode.NoSpace;
    boolean isReadOnly = e.getMessage() != null && e.getMessage().contains("Read-only file system"); // RocksDB has no code for it.
    return isFull ? Errno.ENOSPC : isReadOnly ? Errno.EROFS : Errno.EIO;
  }

  private void checkOpen() {
    if (closedBecause != null) {
      throw new StoreException("metadata in directory " + directory + " " + closedBecause);
    }
  }

  @Override
  public synchronized boolean isOpen() {
    return closedBecause == null;
  }

  @Override
  public synchronized void close() {
    close("is closed");
  }

  private void close(String because) {
    if (closedBecause != null) {
      return;
    }
    closedBecause = because;
    db.close();
    closeOptions();
    try {
      lock.close();
    } catch (IOException e) {
      throw new StoreException("lock of directory " + directory + " could not be closed: " + e.getMessage(), e);
    }
  }

  private void closeOptions() {
    reads.close();
    unsynced.close();
    synced.close();
    options.close();
  }
}
