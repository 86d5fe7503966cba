package dev.weft.dsm.sharing;

/** Is told what a home of minipages does. */
public interface HomeObserver {
  /** Of a request whose words nobody knows. */
  int NO_WORD = -1;

  /** Looks away. */
  HomeObserver NONE = new HomeObserver() {
    @Override
    public void asked(int minipage, int node, boolean isWrite, int firstWord, int lastWord) {}

    @Override
    public void served(int minipage, int node, boolean isWrite, int source, long victims) {}
  };

  /**
   * A node wants a minipage.
   *
   * @param firstWord first of the words of 8 bytes that its threads wanted, counted from the begin of the minipage; {@link #NO_WORD} if none is known
   * @param lastWord last of them
   */
  void asked(int minipage, int node, boolean isWrite, int firstWord, int lastWord);

  /**
   * A node has got it.
   *
   * @param source node that the data came from; -1 if none had to be moved
   * @param victims bits of the nodes that had to give it up for this
   */
  void served(int minipage, int node, boolean isWrite, int source, long victims);

  /** Bits of the nodes that lost it to a write and have not had it since; goes with a home that moves. */
  default long takenFrom(int minipage) {
    return 0;
  }

  /** The home of it has moved here. */
  default void moved(int minipage, long takenFrom) {}
}
