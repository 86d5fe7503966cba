package dev.weft.pvfs.store;

/** A store that cannot be opened, read or written; the message names it, says why, and what would help. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message) {
    super(message);
  }

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
