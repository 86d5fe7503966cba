package dev.weft.pager;

/** The results of device requests, with the numbers of the NBD protocol. */
public final class Errno {
  public static final int OK = 0;
  /** Not permitted: a write to a read-only device. */
  public static final int EPERM = 1;
  /** The device could not move the data. */
  public static final int EIO = 5;
  public static final int ENOMEM = 12;
  /** The request is invalid. */
  public static final int EINVAL = 22;
  /** No space, or a write past the end. */
  public static final int ENOSPC = 28;
  public static final int EOVERFLOW = 75;
  public static final int ENOTSUP = 95;
  /** The device is closing. */
  public static final int ESHUTDOWN = 108;

  private Errno() {}

  /** Whether the NBD protocol allows a server to send {@code errno}. */
  public static boolean isDeclared(int errno) {
    return switch (errno) {
      case EPERM, EIO, ENOMEM, EINVAL, ENOSPC, EOVERFLOW, ENOTSUP, ESHUTDOWN -> true;
      default -> false;
    };
  }
}
