package dev.weft.hca.cm;

/** Told what becomes of one connection. Called on the hardware thread: must not block; usually tells an actor. */
public interface ConnectionObserver {
  /** Both queue pairs are in RTS; {@code privateData} is what the other side gave. */
  void onEstablished(Connection connection, byte[] privateData);

  /** The connection was not made: the peer or the fabric refused, or nobody answered in time. Terminal. */
  void onRejected(RejectReason reason, byte[] privateData);

  /** The peer disconnected, or its node left the fabric. The queue pair is in ERR. Terminal. */
  void onDisconnected(Connection connection, boolean nodeLost);
}
