package dev.weft.dsm.node;

/** Whether a node's actor has stopped handling messages, and why. The actor sets it once; any thread reads it. */
final class Ended {
  private volatile String why;

  boolean get() {
    return why != null;
  }

  void set(String reason) {
    why = reason;
  }

  /** Null while the actor handles messages. */
  String why() {
    return why;
  }
}
