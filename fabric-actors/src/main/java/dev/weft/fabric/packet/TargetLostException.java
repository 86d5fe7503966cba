package dev.weft.fabric.packet;

import java.io.Serial;

/** The target of a copy has no pages any more. It is an IllegalStateException, as for a target that its owner has freed. */
public final class TargetLostException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  public TargetLostException(String message) {
    super(message);
  }
}
