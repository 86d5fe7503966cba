package dev.weft.dsm.access;

/** A thread that waits for rights in a minipage. */
public interface RightsWaiter {
  /** The rights that it wants. */
  byte rights();

  /** The node has the rights, or the array was freed: the thread looks again. */
  void served();

  /** The thread will not get the rights, because a node is lost. */
  void lost(String why);

  /** The thread will not get the rights, because this node leaves. */
  default void refused(String why) {
    lost(why);
  }
}
