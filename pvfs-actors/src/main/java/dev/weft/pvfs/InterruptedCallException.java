package dev.weft.pvfs;

/**
 * A thread was interrupted while it waited for an operation. The operation goes on and still uses the memory that it was given. The thread stays
 * interrupted.
 */
public final class InterruptedCallException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  /** @param whom the party that the thread waited for */
  public InterruptedCallException(String whom) {
    super("interrupted while it waited for " + whom);
  }
}
