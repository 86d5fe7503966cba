package dev.weft.dsm.node;

/** Whether a node's actor takes no messages any more, and why. Set once by the actor; read by any thread. */
final class Ended {
  private volatile String why;

  boolean get() {
    return why != null;
  }

  void set(String reason) {
    why = reason;
  }

  /** Null while it takes messages. */
  String why() {
    return why;
  }
}
