package dev.weft.tripwire.via;

/** The VIA provider refused a call. */
@SuppressWarnings("serial")
public final class ViaException extends RuntimeException {
  private final ViaResult result;

  public ViaException(ViaResult result, String message) {
    super(message);
    this.result = result;
  }

  public ViaResult result() {
    return result;
  }
}
