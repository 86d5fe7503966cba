package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;

/**
 * The record of a file, without its names, extended attributes, target and data.
 *
 * @param number never reused after the file is gone
 * @param mode the lowest twelve bits of {@code st_mode}
 * @param links 0 if the inode exists only because it is open
 * @param atimeNs since 1970, like the others
 * @param sizeHint bytes, as last reported to the manager; the I/O daemons know better while the file is written. Length of the target of a symbolic
 *     link
 * @param striping of a regular file, otherwise null
 * @param wish of a directory, inherited by new files; otherwise {@link StripingWish#NONE}
 * @param parent of a directory, otherwise 0; the root is its own parent
 * @param nextCookie of a directory: cookie of its next entry
 * @param replicas copies of the data; always 1 so far
 * @param quotaId account that is charged; always 0 so far
 * @param timedNs when a program set the time of the last change; 0 if that is the time of a write
 * @param device number of a device, as Linux encodes {@code st_rdev} in 32 bits; otherwise 0
 */
public record Inode(long number, FileType type, int mode, int uid, int gid, int links, long atimeNs, long mtimeNs, long ctimeNs, long sizeHint,
    Striping striping, StripingWish wish, long parent, long nextCookie, int replicas, int quotaId, int device, long timedNs) {
  /** The root directory. */
  public static final long ROOT = 1;

  static final int SETUID = 04000;
  static final int SETGID = 02000;
  static final int STICKY = 01000;
  static final int GROUP_EXECUTE = 010;
  static final int MODE_MASK = 07777;

  public boolean isDirectory() {
    return type == FileType.DIRECTORY;
  }

  public boolean isRegular() {
    return type == FileType.REGULAR;
  }

  InodeDraft draft() {
    return new InodeDraft(this);
  }
}
