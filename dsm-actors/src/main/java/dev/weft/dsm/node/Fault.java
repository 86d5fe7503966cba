package dev.weft.dsm.node;

/** A thread wants more rights in a minipage than the node has. */
final class Fault extends Wait {
  final int minipage;
  final byte rights;

  Fault(int minipage, byte rights) {
    this.minipage = minipage;
    this.rights = rights;
  }
}
