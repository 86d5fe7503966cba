package dev.weft.pvfs;

/** Outcomes of operations, with the numbers of Linux. */
public final class Errno {
  public static final int OK = 0;
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int E2BIG = 7;
  public static final int EBADF = 9;
  public static final int EAGAIN = 11;
  public static final int ENOBUFS = 105;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  /** The caller's memory cannot be used. */
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EFBIG = 27;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int EMLINK = 31;
  public static final int ERANGE = 34;
  public static final int EDEADLK = 35;
  public static final int ENAMETOOLONG = 36;
  /** The maximum number of locks is reached. */
  public static final int ENOLCK = 37;
  public static final int ENOSYS = 38;
  public static final int ENOTEMPTY = 39;
  public static final int ELOOP = 40;
  public static final int ENODATA = 61;
  public static final int EPROTO = 71;
  /** Data differs from what was sent. */
  public static final int EBADMSG = 74;
  public static final int EOVERFLOW = 75;
  public static final int ENOTSUP = 95;
  public static final int ESHUTDOWN = 108;
  public static final int ETIMEDOUT = 110;
  /** The operation has begun; a later event reports its end. */
  public static final int EINPROGRESS = 115;
  public static final int ESTALE = 116;
  public static final int EDQUOT = 122;

  private Errno() {}

  /** Returns a description of the error with its name, or only the name if that says enough. */
  public static String text(int errno) {
    String words = switch (errno) {
      case EPERM -> "operation not permitted";
      case ENOENT -> "no such file or directory";
      case EIO -> "an I/O daemon, the manager's store or the way to them failed";
      case E2BIG -> "value too long";
      case EBADF -> "not open for this operation";
      case EACCES -> "permission denied";
      case EFAULT -> "the memory is closed, or cannot be registered";
      case EEXIST -> "it exists already";
      case ENOTDIR -> "not a directory";
      case EISDIR -> "a directory";
      case EINVAL -> "invalid";
      case EFBIG -> "beyond the largest length of a file";
      case ENOSPC -> "no room left at an I/O daemon";
      case EMLINK -> "too many links";
      case EDEADLK -> "deadlock: the holder of the lock waits for this client";
      case ENAMETOOLONG -> "name or path too long, must be at most 255 or 4095 bytes";
      case ENOLCK -> "limit of locks of one client reached, or the lock was lost with a manager";
      case ENOTEMPTY -> "directory not empty";
      case ELOOP -> "too many symbolic links";
      case ETIMEDOUT -> "no answer in time";
      case ESHUTDOWN -> "closed";
      case ESTALE -> "the file no longer exists";
      default -> null;
    };
    return words == null ? name(errno) : words + " (" + name(errno) + ")";
  }

  /** Returns the name for messages, or the number if this class has no name for it. */
  public static String name(int errno) {
    return switch (errno) {
      case OK -> "OK";
      case EPERM -> "EPERM";
      case ENOENT -> "ENOENT";
      case EINTR -> "EINTR";
      case EIO -> "EIO";
      case E2BIG -> "E2BIG";
      case EBADF -> "EBADF";
      case EAGAIN -> "EAGAIN";
      case ENOBUFS -> "ENOBUFS";
      case ENOMEM -> "ENOMEM";
      case EACCES -> "EACCES";
      case EFAULT -> "EFAULT";
      case EBUSY -> "EBUSY";
      case EEXIST -> "EEXIST";
      case EXDEV -> "EXDEV";
      case ENOTDIR -> "ENOTDIR";
      case EISDIR -> "EISDIR";
      case EINVAL -> "EINVAL";
      case ENFILE -> "ENFILE";
      case EFBIG -> "EFBIG";
      case ENOSPC -> "ENOSPC";
      case EROFS -> "EROFS";
      case EMLINK -> "EMLINK";
      case ERANGE -> "ERANGE";
      case EDEADLK -> "EDEADLK";
      case ENAMETOOLONG -> "ENAMETOOLONG";
      case ENOLCK -> "ENOLCK";
      case ENOSYS -> "ENOSYS";
      case ENOTEMPTY -> "ENOTEMPTY";
      case ELOOP -> "ELOOP";
      case ENODATA -> "ENODATA";
      case EPROTO -> "EPROTO";
      case EBADMSG -> "EBADMSG";
      case EOVERFLOW -> "EOVERFLOW";
      case ENOTSUP -> "ENOTSUP";
      case ESHUTDOWN -> "ESHUTDOWN";
      case ETIMEDOUT -> "ETIMEDOUT";
      case EINPROGRESS -> "EINPROGRESS";
      case ESTALE -> "ESTALE";
      case EDQUOT -> "EDQUOT";
      default -> "error " + errno;
    };
  }
}
