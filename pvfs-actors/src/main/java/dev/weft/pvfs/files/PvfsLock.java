package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.FileLock;

/** A locked range of a file. The lock ends when this or the file is closed, or when its client has gone. Any thread. */
public final class PvfsLock implements AutoCloseable {
  private final MetaClient meta;
  private final String path;
  private final long inode;
  private final FileLock lock;

  PvfsLock(MetaClient meta, String path, long inode, FileLock lock) {
    this.meta = meta;
    this.path = path;
    this.inode = inode;
    this.lock = lock;
  }

  public boolean isShared() {
    return lock.type() == FileLock.SHARED;
  }

  /** Unlocks the range, even parts that another lock of the same open file covers. Idempotent. */
  @Override
  public void close() throws PvfsException {
    int errno = meta.locks().lock(inode, lock.of(FileLock.NONE));
    if (errno != Errno.OK) {
      throw new PvfsException(errno, "unlock " + path);
    }
  }
}
