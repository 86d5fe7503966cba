package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.ENOSYS;

import java.lang.foreign.MemorySegment;

/**
 * A file system that can be mounted. It has one method for each operation. Several threads call them at once. A method answers through its last
 * argument, at once or later on another thread. By default, methods answer ENOSYS; the kernel then remembers that the operation is missing and, if
 * possible, works without it. An exception in a method answers EIO.
 *
 * <p>The file system chooses inode numbers; 1 is the root. Names are the kernel's bytes: 1 to 255 of them, without zero bytes and slashes. Offsets
 * and sizes are not negative, and their sums do not overflow. A handle is the one with which open was answered. Flags, modes and whences are those of
 * Linux.
 */
public interface FuseFileSystem {
  /** In place of a handle, if an operation names only the inode. */
  long NO_HANDLE = -1;

  /** Called before the first operation; {@code notifier} sends invalidations to the kernel. */
  default void start(FuseNotifier notifier) {}

  /** Called once, after the last operation. Lookups and handles that the kernel still has end without forget and release. */
  default void destroy() {}

  /** Whether {@link #open} itself empties a file if its flags have O_TRUNC. Otherwise the kernel sends {@link #setattr} as well. */
  default boolean truncatesAtOpen() {
    return false;
  }

  /**
   * Whether writes, truncations and changes of owner drop set-user-id and set-group-id on request. Otherwise the kernel checks and changes the
   * attributes itself.
   */
  default boolean dropsPrivilege() {
    return false;
  }

  /** Whether {@link #getlk} and {@link #setlk} exist. Otherwise the kernel keeps the locks of this mount itself, and other mounts do not see them. */
  default boolean hasLocks() {
    return true;
  }

  default void lookup(long parent, byte[] name, FuseReply.Lookup reply) {
    reply.fail(ENOSYS);
  }

  /** The kernel drops so many lookups of an inode. When all of them are dropped, it no longer uses the number. */
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

  /** {@code mode} is already without the bits of {@code umask}. */
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

  /** {@code dropsPrivilege} comes with O_TRUNC: drop set-user-id and set-group-id. */
  default void open(long inode, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
    reply.fail(ENOSYS);
  }

  /** Creates a file and opens it; also opens an existing one, unless {@code flags} has O_EXCL. */
  default void create(long parent, byte[] name, int mode, int umask, int flags, FuseReply.Create reply) {
    reply.fail(ENOSYS);
  }

  /** {@code size} is at most the negotiated transfer, by default 1 MiB; {@code flags} are those of the open file. */
  default void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
    reply.fail(ENOSYS);
  }

  /**
   * Writes.
   *
   * @param data memory of the mount, beginning at a page; valid until the answer. It is not copied
   * @param flags of the open file; with O_APPEND the file system chooses the offset
   * @param isWriteback whether the kernel writes pages of its cache, from any process
   * @param dropsPrivilege whether to drop set-user-id and set-group-id
   */
  default void write(long inode, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
      FuseReply.Count reply) {
    reply.fail(ENOSYS);
  }

  /** Called at each close(2) of a descriptor; {@code lockOwner} loses its POSIX locks of the file. */
  default void flush(long inode, long handle, long lockOwner, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** Called after the last descriptor is closed. {@code unlocksFlock}: the flock(2) of {@code lockOwner} goes, too. */
  default void release(long inode, long handle, int flags, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  default void opendir(long inode, int flags, FuseReply.Open reply) {
    reply.fail(ENOSYS);
  }

  /** {@code offset} is 0, or the offset that an entry was given. */
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

  /** Not called if the mount has default permissions. */
  default void access(long inode, int mask, FuseReply.Done reply) {
    reply.fail(ENOSYS);
  }

  /** Asks for the lock that conflicts with {@code lock}. */
  default void getlk(long inode, long handle, long owner, FuseLock lock, FuseReply.Lock reply) {
    reply.fail(ENOSYS);
  }

  /**
   * Locks or unlocks.
   *
   * @param owner owner of the lock: a number that the kernel gives each process, or each open file
   * @param isFlock whether it is flock(2), which does not affect the other kind
   * @param waits whether to wait for a conflicting lock instead of answering EAGAIN; waiting locks do not count as requests in flight
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
