package dev.weft.dsm.direct;

/** What a node knows of itself and of minipages. */
public interface LocalNode {
  /** Home of what is freed. */
  int NO_HOME = -1;

  /** Rights of this node; other nodes may take them at any time. */
  byte rights(int minipage);

  /** Gives this node rights, while it has locked the entry. {@code isServed}: threads wait for them. */
  void grant(int minipage, byte rights, boolean isServed);

  /** Node that has the entry, or {@link #NO_HOME}; another one when that is lost or retires. */
  int homeOf(int minipage);

  /** What people call a minipage. */
  String nameOf(int minipage);
}
