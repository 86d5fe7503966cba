package dev.weft.hca.cm;

import dev.weft.hca.verbs.QueuePair;

/** An established connection. */
public interface Connection {
  QueuePair qp();

  String peerNode();

  int peerLid();

  /** Number of the peer's queue pair; together with the peer's LID, the destination for datagrams. */
  int peerQpNum();

  /** The private data of the peer's request or acceptance; may be empty. */
  byte[] privateData();

  /** Takes the queue pair to ERR, which flushes its outstanding requests, and notifies the peer. Idempotent; any thread. */
  void disconnect();
}
