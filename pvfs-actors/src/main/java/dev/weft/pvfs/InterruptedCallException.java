package dev.weft.pvfs;

/** A thread was interrupted while it waited for an operation: that goes on, and uses the memory that it was given. The thread is still interrupted. */
public final class InterruptedCallException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  /** @param whom it waited for */
  public InterruptedCallException(String whom) {
    super("interrupted while it waited for " + whom);
  }
}
