package dev.weft.tripwire.nic;

/** A NIC refused a call. */
@SuppressWarnings("serial")
public final class NicException extends RuntimeException {
  private final Status status;

  public NicException(Status status, String message) {
    super(message);
    this.status = status;
  }

  public Status status() {
    return status;
  }
}
