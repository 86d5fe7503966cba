package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.FileLock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The locks of an open file, which have an owner of their own. Any thread. */
final class HeldLocks {
  private static final AtomicLong OWNERS = new AtomicLong(1);
  /** Longer waits are without limit: a long holds at most 292 years in nanoseconds. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private final MetaClient meta;
  private final String path;
  private final long inode;
  private final long owner = OWNERS.getAndIncrement();
  private volatile boolean hasLocked;

  HeldLocks(MetaClient meta, String path, long inode) {
    this.meta = meta;
    this.path = path;
    this.inode = inode;
  }

  /** As {@link PvfsFile#tryLock}. */
  PvfsLock tryLock(long position, long bytes, boolean isShared) throws PvfsException {
    FileLock lock = lockOf(position, bytes, isShared);
    int errno = meta.locks().lock(inode, lock);
    return errno == Errno.EAGAIN ? null : locked(errno, lock);
  }

  /** As {@link PvfsFile#lock}. */
  PvfsLock lock(long position, long bytes, boolean isShared, Duration max) throws PvfsException {
    FileLock lock = lockOf(position, bytes, isShared);
    return locked(meta.locks().await(inode, lock, max.compareTo(FOR_EVER) > 0 ? FOR_EVER : max.isNegative() ? Duration.ZERO : max), lock);
  }

  private FileLock lockOf(long position, long bytes, boolean isShared) {
    if (position < 0 || bytes < 0 || bytes > Long.MAX_VALUE - position) {
      throw new IllegalArgumentException("a lock of " + bytes + " bytes from " + position + ", must lie between 0 and " + Long.MAX_VALUE);
    }
    return new FileLock(FileLock.POSIX, owner, isShared ? FileLock.SHARED : FileLock.EXCLUSIVE, position,
        bytes == 0 ? Long.MAX_VALUE : position + bytes - 1, 0);
  }

  private PvfsLock locked(int errno, FileLock lock) throws PvfsException {
    if (errno != Errno.OK) {
      throw new PvfsException(errno, "lock " + path);
    }
    hasLocked = true;
    return new PvfsLock(meta, path, inode, lock);
  }

  private FileLock all() {
    return FileLock.whole(FileLock.POSIX, owner, FileLock.NONE, 0);
  }

  /** Removes all locks that there may be. */
  void unlock() {
    if (hasLocked) {
      meta.locks().lock(inode, all());
    }
  }

  /** As {@link #unlock}, without waiting. */
  void beginUnlock() {
    if (hasLocked) {
      meta.locks().unlock(inode, all(), _ -> { });
    }
  }
}
