package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.hca.verbs.QueuePair;
import java.util.concurrent.CompletionStage;

/** A connection request waiting for {@link #accept} or {@link #reject}, exactly one of them, once. */
public interface ConnectionRequest {
  /** Name of the node that asks. */
  String peerNode();

  /** What it said, at most {@link ConnectionManager#PRIVATE_DATA_BYTES_MAX} bytes. */
  byte[] privateData();

  /**
   * Accepts with a queue pair in RESET; receives may be posted once it is in INIT, which this call sees to first.
   *
   * @param privateData what the peer is told, at most {@link ConnectionManager#PRIVATE_DATA_BYTES_MAX} bytes; null for nothing
   */
  void accept(QueuePair qp, ConnectionOptions options, byte[] privateData, ConnectionObserver observer);

  /**
   * The same for an actor, which is told by messages. When it ends, so does the connection, also one that it has not been told of yet.
   *
   * @param context goes with each event; any object, which nobody reads
   */
  void accept(QueuePair qp, ConnectionOptions options, byte[] privateData, ActorRef<ConnectionEvent> consumer, Object context);

  /**
   * The same with {@link ConnectionOptions#DEFAULT}, for who waits or does not care.
   *
   * @return completed on the hardware thread when both queue pairs are in RTS; exceptionally with a {@link ConnectionRejectedException}
   */
  default CompletionStage<Connection> accept(QueuePair qp, byte[] privateData) {
    Awaited awaited = new Awaited("the connection from node " + peerNode());
    accept(qp, ConnectionOptions.DEFAULT, privateData, awaited);
    return awaited.connection;
  }

  /** Refuses; {@code privateData} as in {@link #accept}. */
  void reject(byte[] privateData);
}
