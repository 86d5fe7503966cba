package dev.weft.dsm;

/** A node has died or cannot be reached: the thread waited for it, or it had the only copy of the data. */
@SuppressWarnings("serial")
public final class NodeLostException extends RuntimeException {
  public NodeLostException(String message) {
    super(message);
  }
}
