package dev.weft.pvfs.manager;

/** What an inode is; numbered as in a mode of Linux. */
public enum FileType {
  FIFO(1), CHARACTER(2), DIRECTORY(4), BLOCK(6), REGULAR(8), SYMLINK(10), SOCKET(12);

  private static final int SHIFT = 12;
  private static final int MASK = 0170000;

  private final int number;

  FileType(int number) {
    this.number = number;
  }

  /** As in {@code d_type} of a directory entry. */
  public int number() {
    return number;
  }

  /** The bits of {@code st_mode} that say it. */
  public int modeBits() {
    return number << SHIFT;
  }

  /** Whether the kernel opens it as a device. */
  public boolean isDevice() {
    return this == CHARACTER || this == BLOCK;
  }

  /** The type that a mode says, null for what Linux does not know. */
  public static FileType ofMode(int mode) {
    return ofNumber((mode & MASK) >>> SHIFT);
  }

  static FileType ofNumber(int number) {
    for (FileType type : values()) {
      if (type.number == number) {
        return type;
      }
    }
    return null;
  }
}
