package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.FileLock;

/** Whose a lock of a file is, among those of its kind; the number is the client's. */
record LockOwner(long inode, int kind, long number) {
  static LockOwner of(long inode, FileLock lock) {
    return new LockOwner(inode, lock.kind(), lock.owner());
  }
}
