package dev.weft.pvfs.manager;

/** The type of an inode; numbered as in Linux modes. */
public enum FileType {
  FIFO(1), CHARACTER(2), DIRECTORY(4), BLOCK(6), REGULAR(8), SYMLINK(10), SOCKET(12);

  private static final int SHIFT = 12;
  private static final int MASK = 0170000;

  private final int number;

  FileType(int number) {
    this.number = number;
  }

  /** The number in {@code d_type} of a directory entry. */
  public int number() {
    return number;
  }

  /** The type bits of {@code st_mode}. */
  public int modeBits() {
    return number << SHIFT;
  }

  /** Whether the kernel opens it as a device. */
  public boolean isDevice() {
    return this == CHARACTER || this == BLOCK;
  }

  /** Returns the type in a mode, null for an unknown one. */
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
