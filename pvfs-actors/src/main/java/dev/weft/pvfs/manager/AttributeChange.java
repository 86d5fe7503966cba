package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaArguments;

/**
 * The changes of a setattr.
 *
 * @param mask which of the following fields apply, and how
 * @param atimeNs since 1970
 */
public record AttributeChange(int mask, int mode, int uid, int gid, long sizeBytes, long atimeNs, long mtimeNs) {
  public static final int MODE = 1;
  public static final int UID = 1 << 1;
  public static final int GID = 1 << 2;
  public static final int SIZE = 1 << 3;
  public static final int ATIME = 1 << 4;
  public static final int MTIME = 1 << 5;
  /** With ATIME or MTIME: use the manager's time; write permission is enough for that. */
  public static final int ATIME_NOW = 1 << 6;
  public static final int MTIME_NOW = 1 << 7;
  /** With SIZE: through a file that is open for writing, so the present permissions do not matter. */
  public static final int BY_HANDLE = 1 << 8;

  static final int ALL = (1 << 9) - 1;

  static AttributeChange of(MetaArguments.Setattr asked) {
    return new AttributeChange(asked.mask(), asked.mode(), asked.uid(), asked.gid(), asked.bytes(), asked.atimeNs(), asked.mtimeNs());
  }

  boolean has(int bit) {
    return (mask & bit) != 0;
  }
}
