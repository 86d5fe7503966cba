package dev.weft.dsm;

/** The shared memory has no room for the request. The message names the available size and the setting that limits it. */
@SuppressWarnings("serial")
public final class SharedMemoryException extends RuntimeException {
  public SharedMemoryException(String message) {
    super(message);
  }
}
