package dev.weft.fabric.packet;

import java.io.Serial;

/** Bytes cannot be placed: the memory they are meant for has no pages any more. As that of a target whose owner has freed it, it is an error of state. */
public final class TargetLostException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  public TargetLostException(String message) {
    super(message);
  }
}
