package dev.weft.pvfs.fuse;

/**
 * What setattr is to change: the fields whose bits are in {@code valid}.
 *
 * @param handle of the open file that this came through (ftruncate(2)), with {@link #HANDLE}
 * @param lockOwner who truncates, with {@link #LOCK_OWNER}
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
  /** The time of access is to be the present; comes with {@link #ATIME}. */
  public static final int ATIME_NOW = 1 << 7;
  /** The time of change is to be the present; comes with {@link #MTIME}. */
  public static final int MTIME_NOW = 1 << 8;
  public static final int LOCK_OWNER = 1 << 9;
  public static final int CTIME = 1 << 10;
  /** Set-user-id and, where the group may execute, set-group-id are to go; comes with a size. */
  public static final int DROPS_PRIVILEGE = 1 << 11;

  /** Whether any of these bits is set. */
  public boolean has(int bits) {
    return (valid & bits) != 0;
  }
}
