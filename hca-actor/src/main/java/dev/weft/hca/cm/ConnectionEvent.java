package dev.weft.hca.cm;


/**
 * An event of one connection, as {@code rdma_cm_event}, for an actor that connects or accepts. The actor receives it with {@code
 * messageAdapter(ConnectionEvent.class, ...)}. Each connection has one {@link Established} and then one {@link Disconnected}, or one {@link Rejected}.
 * After the actor itself has ended the connection, no event follows.
 */
public sealed interface ConnectionEvent {
  /** The object that the actor passed when it connected or accepted. */
  Object context();

  /** Both queue pairs are in RTS; {@code privateData} comes from the peer. */
  record Established(Object context, Connection connection, byte[] privateData) implements ConnectionEvent {}

  /** The connection failed: the peer or the fabric rejected it, or no answer came in time. */
  record Rejected(Object context, RejectReason reason, byte[] privateData) implements ConnectionEvent {}

  /** The peer disconnected, or its node left the fabric. The queue pair is in ERR. */
  record Disconnected(Object context, Connection connection, boolean nodeLost) implements ConnectionEvent {}
}
