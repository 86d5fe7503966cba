package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.hca.verbs.QueuePair;
import java.util.concurrent.CompletionStage;

/** A connection request. The consumer must call either {@link #accept} or {@link #reject}, once. */
public interface ConnectionRequest {
  /** The name of the requesting node. */
  String peerNode();

  /** The private data of the requesting node, at most {@link ConnectionManager#PRIVATE_DATA_BYTES_MAX} bytes. */
  byte[] privateData();

  /**
   * Accepts with a queue pair in RESET. When this call returns, the queue pair is at least in INIT, so the caller may post receives.
   *
   * @param privateData data for the peer, at most {@link ConnectionManager#PRIVATE_DATA_BYTES_MAX} bytes; null for none
   */
  void accept(QueuePair qp, ConnectionOptions options, byte[] privateData, ConnectionObserver observer);

  /**
   * Accepts as above for an actor, which receives the events as messages. When the actor ends, the connection ends, even if it is not established yet.
   *
   * @param context any object; each event contains it
   */
  void accept(QueuePair qp, ConnectionOptions options, byte[] privateData, ActorRef<ConnectionEvent> consumer, Object context);

  /**
   * Accepts as above with {@link ConnectionOptions#DEFAULT}, for a caller that waits for the connection or ignores the result.
   *
   * @return completes on the hardware thread when both queue pairs are in RTS; fails with a {@link ConnectionRejectedException}
   */
  default CompletionStage<Connection> accept(QueuePair qp, byte[] privateData) {
    Awaited awaited = new Awaited("the connection from node " + peerNode());
    accept(qp, ConnectionOptions.DEFAULT, privateData, awaited);
    return awaited.connection;
  }

  /** Rejects the request; {@code privateData} as in {@link #accept}. */
  void reject(byte[] privateData);
}
