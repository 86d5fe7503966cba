package dev.weft.hca.cm;


/**
 * What a connection manager tells an actor that connects, or accepts, of one connection; as {@code rdma_cm_event}. An actor takes it up with
 * {@code messageAdapter(ConnectionEvent.class, ...)}. Of each connection there is one {@link Established} and then one {@link Disconnected}, or
 * one {@link Rejected}, or nothing after the actor itself has ended it.
 */
public sealed interface ConnectionEvent {
  /** What the actor gave when it connected or accepted. */
  Object context();

  /** Both queue pairs are in RTS; {@code privateData} is what the other side gave. */
  record Established(Object context, Connection connection, byte[] privateData) implements ConnectionEvent {}

  /** The connection was not made: the peer or the fabric refused, or nobody answered in time. */
  record Rejected(Object context, RejectReason reason, byte[] privateData) implements ConnectionEvent {}

  /** The peer disconnected, or its node left the fabric. The queue pair is in ERR. */
  record Disconnected(Object context, Connection connection, boolean nodeLost) implements ConnectionEvent {}
}
