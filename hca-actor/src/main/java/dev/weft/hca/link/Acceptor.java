package dev.weft.hca.link;

/** Accepts the clients of one service at a {@link ServiceListener}. Used by the thread of the actor that owns the service. */
public interface Acceptor {
  /** Accepts nobody. */
  Acceptor NONE = new Acceptor() {
    @Override
    public void service(int budget) {}

    @Override
    public void close() {}
  };

  /** Handles received messages, at most {@code budget}; if there are more, the owner is told again. */
  void service(int budget);

  /** Closes all channels and accepts no further client. */
  void close();
}
