package dev.weft.service;

/** A {@link Section} has nothing of the name that was asked for. */
public final class NotThereException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String hint;

  /** @param hint what there is */
  public NotThereException(String message, String hint) {
    super(message, null, false, false);
    this.hint = hint;
  }

  public String hint() {
    return hint;
  }
}
