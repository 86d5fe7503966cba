package dev.weft.dsm.node;

/** A thread wants more rights in a minipage than the node has. */
final class Fault extends Wait {
  final int minipage;
  final byte rights;
  /** Which words of 8 bytes of the minipage it wants; -1 if that is not known. */
  final int firstWord;
  final int lastWord;
  /** Node that the data came from, -1 if none was moved; read when it is over. */
  int source = -1;

  Fault(int minipage, byte rights) {
    this(minipage, rights, -1, -1);
  }

  Fault(int minipage, byte rights, int firstWord, int lastWord) {
    this.minipage = minipage;
    this.rights = rights;
    this.firstWord = firstWord;
    this.lastWord = lastWord;
  }
}
