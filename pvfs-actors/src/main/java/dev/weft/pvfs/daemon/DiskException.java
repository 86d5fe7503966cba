package dev.weft.pvfs.daemon;

/** An error of a disk, with the errno for the client. */
public final class DiskException extends RuntimeException {
  private static final long serialVersionUID = 1;

  final int errno;

  /** @param errno positive, a Linux number */
  public DiskException(int errno, String message) {
    super(message);
    this.errno = errno;
  }
}
