package dev.weft.pvfs.store;

import dev.weft.pvfs.Errno;

/** A store cannot be opened, read or written. The message names the store, the reason and a remedy. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int errno;

  public StoreException(String message) {
    this(message, Errno.EIO, null);
  }

  public StoreException(String message, Throwable cause) {
    this(message, Errno.EIO, cause);
  }

  /** @param errno for clients whose changes were not written: EIO, ENOSPC or EROFS */
  public StoreException(String message, int errno, Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }
}
