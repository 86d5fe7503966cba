package dev.weft.pvfs.fuse;

/**
 * Tells the kernel to drop outdated cache entries. A call may wait for running requests on the same inode or directory: never call it within an
 * operation, or on the only thread that answers them. Any other thread.
 */
public interface FuseNotifier {
  /**
   * Drops attributes and a range of the content.
   *
   * @param offset of the range; negative: attributes only
   * @param bytes of the range; 0: to the end
   * @return false if the kernel does not know the inode, or the mount has ended
   */
  boolean invalidateInode(long inode, long offset, long bytes);

  /** Drops a name in a directory; returns false if the kernel does not know it, or the mount has ended. */
  boolean invalidateEntry(long parent, byte[] name);
}
