package dev.weft.pvfs.fuse;

/**
 * The changes of a setattr: the fields whose bits are set in {@code valid}.
 *
 * @param handle of the open file of an ftruncate(2), with {@link #HANDLE}
 * @param lockOwner owner that truncates, with {@link #LOCK_OWNER}
 * @param atimeNs nanoseconds since 1970
 */
public record AttributeChanges(int valid, long handle, long sizeBytes, long lockOwner, long atimeNs, long mtimeNs, long ctimeNs, int mode, int uid, int gid) {
  public static final int MODE = 1;
  public static final int UID = 1 << 1;
  public static final int GID = 1 << 2;
  public static final int SIZE = 1 << 3;
  public static final int ATIME = 1 << 4;
  public static final int MTIME = 1 << 5;
  public static final int HANDLE = 1 << 6;
  /** Set the time of access to the present; comes with {@link #ATIME}. */
  public static final int ATIME_NOW = 1 << 7;
  /** Set the time of change to the present; comes with {@link #MTIME}. */
  public static final int MTIME_NOW = 1 << 8;
  public static final int LOCK_OWNER = 1 << 9;
  public static final int CTIME = 1 << 10;
  /** Drop set-user-id and, if the group may execute, set-group-id; comes with a size. */
  public static final int DROPS_PRIVILEGE = 1 << 11;

  /** Whether any of these bits is set. */
  public boolean has(int bits) {
    return (valid & bits) != 0;
  }
}
