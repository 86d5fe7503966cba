package dev.weft.pvfs.daemon;

/** What a disk refused, as the client gets it. */
public final class DiskException extends RuntimeException {
  private static final long serialVersionUID = 1;

  final int errno;

  /** @param errno positive, as Linux numbers them */
  public DiskException(int errno, String message) {
    super(message);
    this.errno = errno;
  }
}
