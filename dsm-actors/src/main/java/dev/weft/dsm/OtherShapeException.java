package dev.weft.dsm;

/** An object of that name is there already, and is not what was asked for. */
public final class OtherShapeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Elements of what is there, if these are longs; -1 otherwise. */
  private final long longs;

  /** @param longs elements of what is there, if these are longs; -1 otherwise */
  public OtherShapeException(String message, long longs) {
    super(message);
    this.longs = longs;
  }

  long longs() {
    return longs;
  }
}
