package dev.weft.pvfs.wire;

import dev.weft.pvfs.layout.Striping;
import java.nio.ByteBuffer;

/**
 * The manager's attributes of a file. The daemons know the length of a regular file; there {@code bytes} is the length that the last client to close
 * it reported. For a symbolic link it is the length of the target.
 *
 * @param mode type and permissions, as in {@code stat(2)}
 * @param timedNs when a program last set the time of the last change: earlier writes no longer count; 0 if that time is the time of a write
 * @param device number of a device, as Linux encodes {@code st_rdev} in 32 bits; 0 for other files
 * @param striping of a regular file, or of a directory for new files in it; null if there is none
 */
public record FileAttributes(long inode, int mode, int uid, int gid, int links, long bytes, long atimeNs, long mtimeNs, long ctimeNs, Striping striping,
    int device, long timedNs) {
  public static final int TYPE_MASK = 0xf000;
  public static final int REGULAR = 0x8000;
  public static final int DIRECTORY = 0x4000;
  public static final int SYMLINK = 0xa000;
  private static final int CHARACTER = 0x2000;
  private static final int BLOCK = 0x6000;
  private static final int FIFO = 0x1000;
  private static final int SOCKET = 0xc000;
  static final int BYTES = 84;

  /** Attributes of a file that is no device and has the time of its last write. */
  public FileAttributes(long inode, int mode, int uid, int gid, int links, long bytes, long atimeNs, long mtimeNs, long ctimeNs, Striping striping) {
    this(inode, mode, uid, gid, links, bytes, atimeNs, mtimeNs, ctimeNs, striping, 0, 0);
  }

  /** Returns these attributes with a write that the manager may not know, in nanoseconds since 1970; 0 for none. */
  public FileAttributes written(long wroteNs, long nowNs) {
    boolean counts = FileTimes.isLater(wroteNs, timedNs == 0 ? mtimeNs : timedNs, nowNs);
    boolean isChanged = FileTimes.isLater(wroteNs, ctimeNs, nowNs);
    return counts || isChanged ? new FileAttributes(inode, mode, uid, gid, links, bytes, atimeNs, counts ? wroteNs : mtimeNs,
        isChanged ? wroteNs : ctimeNs, striping, device, counts ? 0 : timedNs) : this;
  }

  public boolean isRegular() {
    return (mode & TYPE_MASK) == REGULAR;
  }

  public boolean isDirectory() {
    return (mode & TYPE_MASK) == DIRECTORY;
  }

  public boolean isSymlink() {
    return (mode & TYPE_MASK) == SYMLINK;
  }

  public boolean isDevice() {
    int type = mode & TYPE_MASK;
    return type == CHARACTER || type == BLOCK;
  }

  /** Returns the letter by which {@code ls -l} shows the type. */
  public char typeLetter() {
    return switch (mode & TYPE_MASK) {
      case DIRECTORY -> 'd';
      case SYMLINK -> 'l';
      case REGULAR -> '-';
      case CHARACTER -> 'c';
      case BLOCK -> 'b';
      case FIFO -> 'p';
      case SOCKET -> 's';
      default -> '?';
    };
  }

  public int deviceMajor() {
    return device >>> 8 & 0xfff;
  }

  public int deviceMinor() {
    return device & 0xff | device >>> 12 & 0xfff00;
  }

  void encode(ByteBuffer to) {
    to.putLong(inode).putInt(mode).putInt(uid).putInt(gid).putInt(links).putLong(bytes).putLong(atimeNs).putLong(mtimeNs).putLong(ctimeNs);
    boolean has = striping != null;
    to.putInt(has ? striping.base() : 0).putInt(has ? striping.count() : 0).putInt(has ? striping.stripeBytes() : 0).putInt(has ? striping.daemons() : 0);
    to.putInt(device).putLong(timedNs);
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
    int device = from.getInt();
    long timedNs = from.getLong();
    return new FileAttributes(inode, mode, uid, gid, links, bytes, atimeNs, mtimeNs, ctimeNs,
        count == 0 ? null : new Striping(base, count, stripeBytes, daemons), device, timedNs);
  }
}
