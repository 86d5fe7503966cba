package dev.weft.hca.cm;

/** Receives the events of one connection. Called on the hardware thread; must not block; usually sends a message to an actor. */
public interface ConnectionObserver {
  /** Both queue pairs are in RTS; {@code privateData} comes from the peer. */
  void onEstablished(Connection connection, byte[] privateData);

  /** The connection failed: the peer or the fabric rejected it, or no answer came in time. The last event. */
  void onRejected(RejectReason reason, byte[] privateData);

  /** The peer disconnected, or its node left the fabric. The queue pair is in ERR. The last event. */
  void onDisconnected(Connection connection, boolean nodeLost);
}
