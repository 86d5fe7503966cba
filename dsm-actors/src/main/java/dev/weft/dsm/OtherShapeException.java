package dev.weft.dsm;

/** An object with the requested name exists, but its kind or shape differs from the request. */
public final class OtherShapeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Length of the existing object if it is an array of longs; -1 otherwise. */
  private final long longs;

  /** @param longs length of the existing object if it is an array of longs; -1 otherwise */
  public OtherShapeException(String message, long longs) {
    super(message);
    this.longs = longs;
  }

  long longs() {
    return longs;
  }
}
