package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.verbs.QueuePair;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Connection set-up for the consumers of one node. Any thread; never blocks; answers go to the observer. */
public interface ConnectionManager {
  int PRIVATE_DATA_BYTES_MAX = 192;

  /** Queue key of datagram queue pairs that a connection manager has brought up, the same everywhere, as {@code RDMA_UDP_QKEY}. */
  int DATAGRAM_QKEY = 0x01234567;

  /** Offers a service; throws VerbsException EBUSY if this node already offers one of that name. */
  void listen(String service, ConnectionListener listener);

  /**
   * The same for an actor. When it ends, the service is withdrawn, requests that it has not answered are rejected, and its connections end.
   *
   * @param consumer told of each request
   */
  void listen(String service, ActorRef<ConnectionRequest> consumer);

  void unlisten(String service);

  /**
   * Connects a queue pair in RESET to a service of a node. It is taken to INIT before this call returns, so that receives may
   * be posted at once. Both sides need queue pairs of the same transport service. A datagram queue pair is not bound to its peer: the
   * connection tells where that is, and either side's end is made known to the other.
   *
   * @param privateData what the peer is told, at most {@link #PRIVATE_DATA_BYTES_MAX} bytes; null for nothing
   */
  void connect(String node, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ConnectionObserver observer);

  /**
   * The same for an actor, which is told by messages. When it ends, so does the connection, also one that it has not been told of yet.
   *
   * @param context goes with each event; any object, which nobody reads
   */
  void connect(String node, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ActorRef<ConnectionEvent> consumer, Object context);

  /**
   * The same with {@link ConnectionOptions#DEFAULT}, for who waits.
   *
   * @return completed on the hardware thread when both queue pairs are in RTS; exceptionally with a {@link ConnectionRejectedException}
   */
  default CompletionStage<Connection> connect(String node, String service, QueuePair qp, byte[] privateData) {
    Awaited awaited = new Awaited("service " + service + " of node " + node);
    connect(node, service, qp, ConnectionOptions.DEFAULT, privateData, awaited);
    return awaited.connection;
  }

  /**
   * Calls {@code listener} on the hardware thread, after the observers of connections, with the name of each node that has left the fabric,
   * for those who remember a node that they have no connection to. It must not block.
   */
  Directory.Subscription onNodeLost(Consumer<String> listener);

  /**
   * Offers a datagram service: others may learn the address of this queue pair. Names of datagram services are apart from those of
   * {@link #listen}.
   *
   * @throws dev.weft.hca.verbs.VerbsException EINVAL unless the queue pair is UD; EBUSY if this node offers one of that name already
   */
  void offerDatagrams(String service, QueuePair qp);

  void withdrawDatagrams(String service);

  /** Asks for the address of a datagram service of a node; as it is when the question arrives there. */
  void resolveDatagrams(String node, String service, DatagramObserver observer);

  /** Its actor, for {@link CmActor.Inspect}. */
  ActorRef<HardwareMessage> actor();
}
