package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.hca.cm.CmMessage.Endpoint;
import dev.weft.hca.verbs.QueuePair;

/** One connection of a connection manager, being set up or established. Its thread. */
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
  /** The actor whose connection it is, or who has to answer the request; null if it is not an actor's. */
  ActorRef<?> consumer;
  /** It has ended before the peer answered. */
  boolean isAbandoned;
  Connection connection;
  /** What the peer said. */
  byte[] peerData = {};

  Entry(long id, String peerNode, State state) {
    this.id = id;
    this.peerNode = peerNode;
    this.state = state;
  }
}
