package dev.weft.pvfs.fuse;

/**
 * Tells the kernel that what it remembers is not true any more. A call may wait for requests that are under way for the same inode or directory: never
 * make it within an operation, or on the only thread that answers them. Any other thread.
 */
public interface FuseNotifier {
  /**
   * Forgets attributes and a range of the content.
   *
   * @param offset of the range; negative: attributes only
   * @param bytes of the range; 0: to the end
   * @return false if the kernel does not know the inode, or the mount has ended
   */
  boolean invalidateInode(long inode, long offset, long bytes);

  /** Forgets a name in a directory; false if the kernel does not know it, or the mount has ended. */
  boolean invalidateEntry(long parent, byte[] name);
}
