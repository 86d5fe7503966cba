package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.hca.cm.CmMessage.Endpoint;
import dev.weft.hca.verbs.QueuePair;

/** One connection of a connection manager, established or being set up. Used on the hardware thread. */
final class Entry {
  enum State {
    REQ_SENT,
    REQ_RECEIVED,
    REP_SENT,
    ESTABLISHED
  }

  final long id;
  final String peerNode;
  State state;
  long peerId;
  Endpoint peer;
  Endpoint own;
  ActorRef<HardwareMessage> peerCm;
  QueuePair qp;
  ConnectionOptions options;
  ConnectionObserver observer;
  /** The actor that owns the connection or must answer the request; null if no actor does. */
  ActorRef<?> consumer;
  /** Whether the actor ended before the peer answered. */
  boolean isAbandoned;
  Connection connection;
  /** The peer's private data. */
  byte[] peerData = {};

  Entry(long id, String peerNode, State state) {
    this.id = id;
    this.peerNode = peerNode;
    this.state = state;
  }
}
