package dev.weft.fabric.seal;

/** What a media driver counts about sealed datagrams. */
public enum SealCounter {
  /** Datagrams that arrived and were accepted. */
  OPENED("Sealed datagrams: opened"),
  /** Too short, or too long. */
  MALFORMED("Sealed datagrams: rejected, malformed"),
  /** Data of a sender that has not greeted this process. */
  UNKNOWN("Sealed datagrams: rejected, sender has not greeted"),
  /** Wrong key, changed, or meant for another socket or process. */
  FORGED("Sealed datagrams: rejected, not authentic"),
  /** Seen before, or too old to tell. */
  REPLAYED("Sealed datagrams: rejected, replayed"),
  /** Not sent, because this process did not know the receiver yet. */
  EARLY("Sealed datagrams: not sent, receiver not known yet");

  /** Type of these counters among those of a media driver. */
  public static final int TYPE_ID = 5300;

  private final String label;

  SealCounter(String label) {
    this.label = label;
  }

  /** The name for people. */
  public String label() {
    return label;
  }
}
