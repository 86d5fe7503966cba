package dev.weft.hca.cm;

import dev.weft.hca.verbs.QueuePair;

/** An established connection. */
public interface Connection {
  QueuePair qp();

  String peerNode();

  int peerLid();

  /** Number of the peer's queue pair: with its LID, where datagrams go. */
  int peerQpNum();

  /** What the peer said when it asked for the connection, or when it accepted; may be empty. */
  byte[] privateData();

  /** Takes the queue pair to ERR (outstanding work is flushed) and tells the peer. Idempotent, any thread. */
  void disconnect();
}
