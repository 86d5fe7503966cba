package dev.weft.dsm.objects;

/** Whether a node's actor has stopped handling messages, and why. The actor sets it once; any thread reads it. */
public final class Ended {
  private volatile String why;

  public boolean get() {
    return why != null;
  }

  public void set(String reason) {
    why = reason;
  }

  /** Null while the actor handles messages. */
  public String why() {
    return why;
  }
}
