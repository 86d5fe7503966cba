package dev.weft.dsm;

/** The shared memory has no room for what was asked for; the message says what there is and which setting says so. */
@SuppressWarnings("serial")
public final class SharedMemoryException extends RuntimeException {
  public SharedMemoryException(String message) {
    super(message);
  }
}
