package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.ENOSYS;

import java.lang.foreign.MemorySegment;

/**
 * A file system that can be mounted: one method for each operation, called by several threads at once, answered through its last argument at once or
 * later on another thread. What is not implemented answers ENOSYS, which the kernel takes as its word for each later call and, where it can, does without.
 * An exception out of a method answers EIO.
 *
 * <p>Inodes are named by numbers of the file system's choice; 1 is the root. Names are the bytes that the kernel has: 1 to 255 of them, any but zero and
 * the slash. Offsets and sizes are not negative, and their sums do not overflow. The handle is what open was answered with. Flags, modes and whences
 * are those of Linux.
 */
public interface FuseFileSystem {
  /** In place of a handle, where an operation came by the inode alone. */
  long NO_HANDLE = -1;

  /** Before the first operation; what can be told the kernel goes through {@code notifier}. */
  default void start(FuseNotifier notifier) {}

  /** After the last operation, once. What the kernel has not forgotten or released, it never will. */
  default void destroy() {}

  /**
   * Whether {@link #open} empties a file when O_TRUNC is among its flags, in one step. Otherwise the kernel sends {@link #setattr} as well.
   */
  default boolean truncatesAtOpen() {
    return false;
  }

  /** Whether writes, truncations and changes of owner drop set-user-id and set-group-id as told. Otherwise the kernel asks and changes attributes itself. */
  default boolean dropsPrivilege() {
    return false;
  }

  /** Whether {@link #getlk} and {@link #setlk} are there. Otherwise the kernel keeps the locks of this mount itself, which hold on no other one. */
  default boolean hasLocks() {
    return true;
  }

  default void lookup(long parent, byte[] name, FuseReply.Lookup reply) {
    reply.fail(ENOSYS);
  }

  /** The kernel forgets an inode so many times: when all its lookups are forgotten, it will not ask by this number any more. */
  default void forget(long inode, long lookups) {}

  /** {@code handle} may be {@link #NO_HANDLE}. */
  default void getattr(long inode, long handle, FuseReply.Attributes reply) {
    reply.fail(ENOSYS);
  }

  default void setattr(long inode, AttributeChanges changes, FuseReply.Attributes reply) {
    reply.fail(ENOSYS);
  }

  default void readlink(long inode, FuseReply.Data reply) {
    reply.fail(ENOSYS);
  }

  /** {@code target} has 1 to 4095 bytes. */
  default void symlink(long parent, byte[] name, byte[] target, FuseReply.Entry reply) {
    reply.fail(ENOSYS);
  }

  /** {@code umask} has been taken out of {@code mode} already. */
  default void mknod(long parent, byte[] name, int mode, int umask, int device, FuseReply.Entry reply) {
    reply.fail(ENOSYS);
  }

  default void mkdir(long parent, byte[] name, int mode, int umask, FuseReply.Entry reply) {
    reply.fail(ENOSYS);
  }

  default void unlink(long parent, byte[] name, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void rmdir(long parent, byte[] name, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** {@code flags}: RENAME_NOREPLACE (1), RENAME_EXCHANGE (2), RENAME_WHITEOUT (4). */
  default void rename(long parent, byte[] name, long newParent, byte[] newName, int flags, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void link(long inode, long newParent, byte[] newName, FuseReply.Entry reply) {
    reply.fail(ENOSYS);
  }

  /** {@code dropsPrivilege} comes with O_TRUNC: set-user-id and set-group-id are to go. */
  default void open(long inode, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
    reply.fail(ENOSYS);
  }

  /** Makes a file, unless it is there and {@code flags} has no O_EXCL, and opens it. */
  default void create(long parent, byte[] name, int mode, int umask, int flags, FuseReply.Create reply) {
    reply.fail(ENOSYS);
  }

  /** {@code size} is at most what the mount was negotiated for, 1 MiB by default; {@code flags} are those that the file is open with. */
  default void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
    reply.fail(ENOSYS);
  }

  /**
   * Writes.
   *
   * @param data memory of the mount, which begins a page; valid until the answer. It is not copied
   * @param flags that the file is open with; O_APPEND among them means that the file system chooses the offset
   * @param isWriteback whether the kernel writes pages of its cache, of whichever process
   * @param dropsPrivilege whether set-user-id and set-group-id are to go
   */
  default void write(long inode, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
      FuseReply.Count reply) {
    reply.fail(ENOSYS);
  }

  /** At each close(2) of a descriptor; {@code lockOwner} loses its POSIX locks of the file. */
  default void flush(long inode, long handle, long lockOwner, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** When the last descriptor is gone. {@code unlocksFlock}: the flock(2) of {@code lockOwner} goes, too. */
  default void release(long inode, long handle, int flags, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void opendir(long inode, int flags, FuseReply.Open reply) {
    reply.fail(ENOSYS);
  }

  /** {@code offset} is 0, or what an entry came with. */
  default void readdir(long inode, long handle, long offset, FuseReply.Directory reply) {
    reply.fail(ENOSYS);
  }

  default void releasedir(long inode, long handle, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void fsyncdir(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void statfs(long inode, FuseReply.Statistics reply) {
    reply.fail(ENOSYS);
  }

  /** {@code flags}: XATTR_CREATE (1), XATTR_REPLACE (2). */
  default void setxattr(long inode, byte[] name, byte[] value, int flags, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void getxattr(long inode, byte[] name, FuseReply.Value reply) {
    reply.fail(ENOSYS);
  }

  default void listxattr(long inode, FuseReply.Value reply) {
    reply.fail(ENOSYS);
  }

  default void removexattr(long inode, byte[] name, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** Not called where the mount has default permissions. */
  default void access(long inode, int mask, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** Asks who is in the way of a lock. */
  default void getlk(long inode, long handle, long owner, FuseLock lock, FuseReply.Lock reply) {
    reply.fail(ENOSYS);
  }

  /**
   * Locks or unlocks.
   *
   * @param owner whose lock it is: a number that the kernel gives each process, or each open file
   * @param isFlock whether it is flock(2), which knows nothing of the other kind
   * @param waits whether to wait while another lock is in the way, rather than answer EAGAIN; waiting locks do not count as requests in flight
   */
  default void setlk(long inode, long handle, long owner, FuseLock lock, boolean isFlock, boolean waits, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** {@code mode}: FALLOC_FL_KEEP_SIZE (1), FALLOC_FL_PUNCH_HOLE (2), FALLOC_FL_COLLAPSE_RANGE (8), FALLOC_FL_ZERO_RANGE (16), ... */
  default void fallocate(long inode, long handle, int mode, long offset, long bytes, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** {@code whence}: SEEK_DATA (3), SEEK_HOLE (4). */
  default void lseek(long inode, long handle, long offset, int whence, FuseReply.Offset reply) {
    reply.fail(ENOSYS);
  }

  default void copyFileRange(long inode, long handle, long offset, long inodeOut, long handleOut, long offsetOut, long bytes, long flags,
      FuseReply.Count reply) {
    reply.fail(ENOSYS);
  }
}
