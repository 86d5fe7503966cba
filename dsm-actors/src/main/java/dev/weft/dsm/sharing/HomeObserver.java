package dev.weft.dsm.sharing;

/** Receives the events of a home of minipages. */
public interface HomeObserver {
  /** For a request whose words are unknown. */
  int NO_WORD = -1;

  /** Ignores all events. */
  HomeObserver NONE = new HomeObserver() {
    @Override
    public void asked(int minipage, int node, boolean isWrite, int firstWord, int lastWord) {}

    @Override
    public void served(int minipage, int node, boolean isWrite, int source, long victims) {}
  };

  /**
   * A node wants a minipage.
   *
   * @param firstWord first of the words of 8 bytes that its threads wanted, counted from the start of the minipage; {@link #NO_WORD} if unknown
   * @param lastWord last of them
   */
  void asked(int minipage, int node, boolean isWrite, int firstWord, int lastWord);

  /**
   * A node has got the minipage.
   *
   * @param source node that sent the data; -1 if no data moved
   * @param victims bits of the nodes that had to give the minipage up for this
   */
  void served(int minipage, int node, boolean isWrite, int source, long victims);

  /** Bits of the nodes that lost the minipage to a write and have not had it since; they move with the home. */
  default long takenFrom(int minipage) {
    return 0;
  }

  /** The home of the minipage has moved here. */
  default void moved(int minipage, long takenFrom) {}
}
