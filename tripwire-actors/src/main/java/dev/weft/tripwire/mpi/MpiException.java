package dev.weft.tripwire.mpi;

/** A call of message passing failed. */
@SuppressWarnings("serial")
public final class MpiException extends RuntimeException {
  private final ErrorClass errorClass;

  public MpiException(ErrorClass errorClass, String message) {
    super(message);
    this.errorClass = errorClass;
  }

  public ErrorClass errorClass() {
    return errorClass;
  }
}
