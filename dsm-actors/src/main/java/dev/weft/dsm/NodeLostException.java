package dev.weft.dsm;

/** What a thread waited for, or the only copy of what it wants, was on a node that has died or cannot be reached. */
@SuppressWarnings("serial")
public final class NodeLostException extends RuntimeException {
  public NodeLostException(String message) {
    super(message);
  }
}
