package dev.weft.dsm.direct;

/** A node's own rights, and its knowledge about minipages. */
public interface LocalNode {
  /** The home of a freed minipage. */
  int NO_HOME = -1;

  /** Rights of this node; other nodes may take them at any time. */
  byte rights(int minipage);

  /** Raises this node's rights while it has locked the entry. {@code isServed}: threads wait for them. */
  void grant(int minipage, byte rights, boolean isServed);

  /** The node that has the entry, or {@link #NO_HOME}. It changes when that node is lost or leaves. */
  int homeOf(int minipage);

  /** Name of a minipage for messages to users. */
  String nameOf(int minipage);
}
