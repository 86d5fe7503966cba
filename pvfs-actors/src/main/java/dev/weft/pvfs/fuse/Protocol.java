package dev.weft.pvfs.fuse;

/** Constants of the protocol, with their names in {@code linux/fuse.h}. */
final class Protocol {
  static final int MAJOR = 7;
  /** The oldest supported minor version: Linux 5.4. */
  static final int MINOR_MIN = 31;
  /** The newest minor version whose messages are known here: Linux 6.17. */
  static final int MINOR_MAX = 45;

  static final int IN_HEADER_BYTES = 40;
  static final int OUT_HEADER_BYTES = 16;
  static final int WRITE_IN_BYTES = 40;
  static final int ENTRY_OUT_BYTES = 128;
  static final int ATTR_OUT_BYTES = 104;
  static final int OPEN_OUT_BYTES = 16;
  static final int INIT_OUT_BYTES = 64;
  static final int STATFS_OUT_BYTES = 80;
  static final int LK_OUT_BYTES = 24;
  static final int DIRENT_BYTES = 24;
  static final long ROOT = 1;

  static final int NAME_BYTES_MAX = 255;
  static final int TARGET_BYTES_MAX = 4095;
  static final int XATTR_BYTES_MAX = 65_536;

  static final int LOOKUP = 1;
  static final int FORGET = 2;
  static final int GETATTR = 3;
  static final int SETATTR = 4;
  static final int READLINK = 5;
  static final int SYMLINK = 6;
  static final int MKNOD = 8;
  static final int MKDIR = 9;
  static final int UNLINK = 10;
  static final int RMDIR = 11;
  static final int RENAME = 12;
  static final int LINK = 13;
  static final int OPEN = 14;
  static final int READ = 15;
  static final int WRITE = 16;
  static final int STATFS = 17;
  static final int RELEASE = 18;
  static final int FSYNC = 20;
  static final int SETXATTR = 21;
  static final int GETXATTR = 22;
  static final int LISTXATTR = 23;
  static final int REMOVEXATTR = 24;
  static final int FLUSH = 25;
  static final int INIT = 26;
  static final int OPENDIR = 27;
  static final int READDIR = 28;
  static final int RELEASEDIR = 29;
  static final int FSYNCDIR = 30;
  static final int GETLK = 31;
  static final int SETLK = 32;
  static final int SETLKW = 33;
  static final int ACCESS = 34;
  static final int CREATE = 35;
  static final int INTERRUPT = 36;
  static final int DESTROY = 38;
  static final int NOTIFY_REPLY = 41;
  static final int BATCH_FORGET = 42;
  static final int FALLOCATE = 43;
  static final int READDIRPLUS = 44;
  static final int RENAME2 = 45;
  static final int LSEEK = 46;
  static final int COPY_FILE_RANGE = 47;
  static final int COPY_FILE_RANGE_64 = 53;

  static final int NOTIFY_INVAL_INODE = 2;
  static final int NOTIFY_INVAL_ENTRY = 3;

  static final int FOPEN_DIRECT_IO = 1;
  static final int FOPEN_KEEP_CACHE = 1 << 1;
  static final int FOPEN_CACHE_DIR = 1 << 3;
  static final int FOPEN_PARALLEL_DIRECT_WRITES = 1 << 6;

  static final int GETATTR_FH = 1;
  static final int OPEN_KILL_SUIDGID = 1;
  static final int READ_LOCKOWNER = 1 << 1;
  static final int WRITE_CACHE = 1;
  static final int WRITE_KILL_SUIDGID = 1 << 2;
  static final int RELEASE_FLOCK_UNLOCK = 1 << 1;
  static final int FSYNC_DATA_ONLY = 1;
  static final int LK_FLOCK = 1;

  static final long ASYNC_READ = 1;
  static final long POSIX_LOCKS = 1 << 1;
  static final long ATOMIC_O_TRUNC = 1 << 3;
  static final long BIG_WRITES = 1 << 5;
  static final long FLOCK_LOCKS = 1 << 10;
  static final long AUTO_INVAL_DATA = 1 << 12;
  static final long DO_READDIRPLUS = 1 << 13;
  static final long READDIRPLUS_AUTO = 1 << 14;
  static final long ASYNC_DIO = 1 << 15;
  static final long WRITEBACK_CACHE = 1 << 16;
  static final long PARALLEL_DIROPS = 1 << 18;
  static final long MAX_PAGES = 1 << 22;
  static final long CACHE_SYMLINKS = 1 << 23;
  static final long HANDLE_KILLPRIV_V2 = 1 << 28;
  static final long INIT_EXT = 1 << 30;
  static final long DIRECT_IO_ALLOW_MMAP = 1L << 36;

  /** {@code FUSE_DEV_IOC_CLONE}. */
  static final long CLONE = 0x8004e500L;

  private Protocol() {}

  /** Returns the name of an operation, for messages. */
  static String name(int opcode) {
    return switch (opcode) {
      case LOOKUP -> "LOOKUP";
      case GETATTR -> "GETATTR";
      case SETATTR -> "SETATTR";
      case READLINK -> "READLINK";
      case SYMLINK -> "SYMLINK";
      case MKNOD -> "MKNOD";
      case MKDIR -> "MKDIR";
      case UNLINK -> "UNLINK";
      case RMDIR -> "RMDIR";
      case RENAME, RENAME2 -> "RENAME";
      case LINK -> "LINK";
      case OPEN -> "OPEN";
      case READ -> "READ";
      case WRITE -> "WRITE";
      case STATFS -> "STATFS";
      case RELEASE -> "RELEASE";
      case FSYNC -> "FSYNC";
      case FLUSH -> "FLUSH";
      case INIT -> "INIT";
      case OPENDIR -> "OPENDIR";
      case READDIR -> "READDIR";
      case READDIRPLUS -> "READDIRPLUS";
      case CREATE -> "CREATE";
      default -> "operation " + opcode;
    };
  }
}
