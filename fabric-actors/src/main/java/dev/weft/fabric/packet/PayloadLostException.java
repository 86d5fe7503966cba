package dev.weft.fabric.packet;

import java.io.Serial;

/**
 * The owner of the bytes of a payload has taken them back, the file they are in was cut short, or the process that holds them has ended or has
 * freed them. The packet counts as lost under way, whatever part of it has been placed: it was not acknowledged.
 */
public final class PayloadLostException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  public PayloadLostException(String message) {
    super(message);
  }
}
