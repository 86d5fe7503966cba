package dev.weft.pvfs.wire;

import dev.weft.pvfs.layout.Striping;
import java.nio.ByteBuffer;

/**
 * What the manager knows of a file. The length of a regular one is the daemons' to say; {@code bytes} is that of a symbolic link, and what the last
 * client to close it found otherwise.
 *
 * @param mode type and permissions, as {@code stat(2)} has them
 * @param striping of a regular file, and what a directory gives to new ones; null where there is none
 */
public record FileAttributes(long inode, int mode, int uid, int gid, int links, long bytes, long atimeNs, long mtimeNs, long ctimeNs, Striping striping) {
  public static final int TYPE_MASK = 0xf000;
  public static final int REGULAR = 0x8000;
  public static final int DIRECTORY = 0x4000;
  public static final int SYMLINK = 0xa000;
  static final int BYTES = 72;

  public boolean isRegular() {
    return (mode & TYPE_MASK) == REGULAR;
  }

  public boolean isDirectory() {
    return (mode & TYPE_MASK) == DIRECTORY;
  }

  public boolean isSymlink() {
    return (mode & TYPE_MASK) == SYMLINK;
  }

  void encode(ByteBuffer to) {
    to.putLong(inode).putInt(mode).putInt(uid).putInt(gid).putInt(links).putLong(bytes).putLong(atimeNs).putLong(mtimeNs).putLong(ctimeNs);
    boolean has = striping != null;
    to.putInt(has ? striping.base() : 0).putInt(has ? striping.count() : 0).putInt(has ? striping.stripeBytes() : 0).putInt(has ? striping.daemons() : 0);
  }

  static FileAttributes decode(ByteBuffer from) {
    long inode = from.getLong();
    int mode = from.getInt();
    int uid = from.getInt();
    int gid = from.getInt();
    int links = from.getInt();
    long bytes = from.getLong();
    long atimeNs = from.getLong();
    long mtimeNs = from.getLong();
    long ctimeNs = from.getLong();
    int base = from.getInt();
    int count = from.getInt();
    int stripeBytes = from.getInt();
    int daemons = from.getInt();
    return new FileAttributes(inode, mode, uid, gid, links, bytes, atimeNs, mtimeNs, ctimeNs,
        count == 0 ? null : new Striping(base, count, stripeBytes, daemons));
  }
}
