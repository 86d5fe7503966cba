package dev.weft.dsm.release;

/** The way to all nodes of the space at a time: datagrams to its multicast group, of which each may be lost. Called in the receive context. */
public interface GroupPort {
  /** There is no group. */
  GroupPort NONE = new GroupPort() {
    @Override
    public void start() {
      // Nothing is joined.
    }

    @Override
    public int datagramBytes() {
      return 0;
    }

    @Override
    public void send(Part part, long offset) {
      throw new IllegalStateException("there is no group to send " + part + " to");
    }

    @Override
    public void drain() {
      // Nothing comes.
    }
  };

  /** There is something to be sent now, or may come; called again without effect. */
  void start();

  /** Longest datagram in bytes, with its header; 0 while this node is in no group. */
  int datagramBytes();

  /** Sends a piece of a batch, whose data is at {@code offset} of this node's frames and copied before this returns. */
  void send(Part part, long offset);

  /** Hands over all datagrams that have come. */
  void drain();
}
