package dev.weft.pvfs.manager;

/**
 * What setattr changes.
 *
 * @param mask which of the following count, and how
 * @param atimeNs since 1970
 */
public record AttributeChange(int mask, int mode, int uid, int gid, long sizeBytes, long atimeNs, long mtimeNs) {
  public static final int MODE = 1;
  public static final int UID = 1 << 1;
  public static final int GID = 1 << 2;
  public static final int SIZE = 1 << 3;
  public static final int ATIME = 1 << 4;
  public static final int MTIME = 1 << 5;
  /** With ATIME or MTIME: the time of the manager, for which it is enough to be allowed to write. */
  public static final int ATIME_NOW = 1 << 6;
  public static final int MTIME_NOW = 1 << 7;
  /** With SIZE: by a file that is open for writing, so that the permissions of now do not count. */
  public static final int BY_HANDLE = 1 << 8;

  static final int ALL = (1 << 9) - 1;

  boolean has(int bit) {
    return (mask & bit) != 0;
  }
}
