package dev.weft.dsm.direct;

/** A thread that waits for rights in a minipage. */
public interface Waiter {
  /** What it wants. */
  byte rights();

  /** The node has them, or the array is gone: the thread looks. */
  void served();

  /** It will not get them: a node is lost. */
  void lost(String why);

  /** It will not get them: this node leaves. */
  default void refused(String why) {
    lost(why);
  }
}
