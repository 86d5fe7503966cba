package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.verbs.QueuePair;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Sets up connections for the consumers of one node. Any thread; never blocks; results go to the observer. */
public interface ConnectionManager {
  int PRIVATE_DATA_BYTES_MAX = 192;

  /** The queue key of all datagram queue pairs that connection managers have brought up, as {@code RDMA_UDP_QKEY}. */
  int DATAGRAM_QKEY = 0x01234567;

  /** Offers a service; throws VerbsException EBUSY if this node already offers a service of that name. */
  void listen(String service, ConnectionListener listener);

  /**
   * Offers a service of an actor. When the actor ends, the service is withdrawn, its unanswered requests are rejected, and its connections end.
   *
   * @param consumer receives each request
   */
  void listen(String service, ActorRef<ConnectionRequest> consumer);

  void unlisten(String service);

  /**
   * Connects a queue pair in RESET to a service of a node. When this call returns, the queue pair is in INIT, so the caller may post receives at once.
   * Both sides need queue pairs of the same transport service. A datagram queue pair is not bound to its peer: the connection only gives the peer's
   * address and reports its end.
   *
   * @param privateData data for the peer, at most {@link #PRIVATE_DATA_BYTES_MAX} bytes; null for none
   */
  void connect(String node, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ConnectionObserver observer);

  /**
   * Connects as above for an actor, which receives the events as messages. When the actor ends, the connection ends, even if it is not established yet.
   *
   * @param context any object; each event contains it
   */
  void connect(String node, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ActorRef<ConnectionEvent> consumer, Object context);

  /**
   * Connects as above with {@link ConnectionOptions#DEFAULT}, for a caller that waits.
   *
   * @return completes on the hardware thread when both queue pairs are in RTS; fails with a {@link ConnectionRejectedException}
   */
  default CompletionStage<Connection> connect(String node, String service, QueuePair qp, byte[] privateData) {
    Awaited awaited = new Awaited("service " + service + " of node " + node);
    connect(node, service, qp, ConnectionOptions.DEFAULT, privateData, awaited);
    return awaited.connection;
  }

  /**
   * Calls {@code listener} with the name of each node that has left the fabric, on the hardware thread, after the observers of connections. For consumers
   * that keep state of a node without a connection to it. The listener must not block.
   */
  Directory.Subscription onNodeLost(Consumer<String> listener);

  /**
   * Offers a datagram service: other nodes can ask for the address of this queue pair. Datagram services and the services of {@link #listen} have
   * separate names.
   *
   * @throws dev.weft.hca.verbs.VerbsException EINVAL unless the queue pair is UD; EBUSY if this node already offers a datagram service of that name
   */
  void offerDatagrams(String service, QueuePair qp);

  void withdrawDatagrams(String service);

  /** Asks a node for the address of a datagram service; the answer is valid at the time when the request arrives there. */
  void resolveDatagrams(String node, String service, DatagramObserver observer);

  /** The connection manager's actor, for {@link CmActor.Inspect}. */
  ActorRef<HardwareMessage> actor();
}
