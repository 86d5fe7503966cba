package dev.weft.dsm.release;

/** Sends datagrams to the multicast group of all nodes of the space; any of them may be lost. Called in the receive context. */
public interface GroupPort {
  /** No group. */
  GroupPort NONE = new GroupPort() {
    @Override
    public void start() {
      // Joins nothing.
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
      // No datagram arrives.
    }
  };

  /** Joins the group, because there may be datagrams to send or receive. Repeated calls have no effect. */
  void start();

  /** Size of the longest datagram in bytes, with its header; 0 while this node is in no group. */
  int datagramBytes();

  /** Sends a part of a batch. Its data is at {@code offset} of this node's frames and is copied before this returns. */
  void send(Part part, long offset);

  /** Handles all datagrams that have arrived. */
  void drain();
}
