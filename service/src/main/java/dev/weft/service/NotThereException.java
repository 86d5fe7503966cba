package dev.weft.service;

/** A {@link Section} has no element of the requested name. */
public final class NotThereException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String hint;

  /** @param hint the names that exist */
  public NotThereException(String message, String hint) {
    super(message, null, false, false);
    this.hint = hint;
  }

  public String hint() {
    return hint;
  }
}
