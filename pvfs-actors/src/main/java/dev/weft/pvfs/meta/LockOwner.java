package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.FileLock;

/** The owner of locks of one kind on one file; the client chooses its number. */
record LockOwner(long inode, int kind, long number) {
  static LockOwner of(long inode, FileLock lock) {
    return new LockOwner(inode, lock.kind(), lock.owner());
  }
}
