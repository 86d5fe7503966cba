package dev.weft.fabric.packet;

import java.io.Serial;

/**
 * The bytes of a payload cannot be read any more. Their owner has taken them back, their file was truncated, or their process has ended or has
 * freed them. The packet counts as lost on the way, even if a part of it has been placed: it was not acknowledged.
 */
public final class PayloadLostException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public PayloadLostException(String message) {
    super(message);
  }
}
