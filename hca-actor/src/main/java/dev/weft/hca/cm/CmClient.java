package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import java.util.function.Consumer;

/** The {@link ConnectionManager} for the consumers of a node: checks the arguments, then sends a message to the node's {@link CmActor}. */
public final class CmClient implements ConnectionManager {
  private final String node;
  private final Hca hca;
  private final CmServices services;
  private final ActorRef<HardwareMessage> actor;

  public CmClient(Hca hca, CmServices services, ActorRef<HardwareMessage> actor) {
    this.node = hca.nodeName();
    this.hca = hca;
    this.services = services;
    this.actor = actor;
  }

  @Override
  public void listen(String service, ConnectionListener listener) {
    Check.given("service", service);
    Check.given("listener", listener);
    services.add(node, service, listener);
  }

  @Override
  public void listen(String service, ActorRef<ConnectionRequest> consumer) {
    Check.given("service", service);
    Check.given("consumer", consumer);
    services.add(node, service, new ActorListener(consumer));
    actor.tell(new CmActor.Watch(consumer));
  }

  @Override
  public void unlisten(String service) {
    services.remove(Check.given("service", service));
  }

  @Override
  public void connect(String peer, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ConnectionObserver observer) {
    Check.given("observer", observer);
    ask(peer, service, qp, options, privateData, Guarded.observer(observer));
  }

  @Override
  public void connect(String peer, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ActorRef<ConnectionEvent> consumer, Object context) {
    Check.given("consumer", consumer);
    ask(peer, service, qp, options, privateData, new ActorObserver(consumer, context));
  }

  private void ask(String peer, String service, QueuePair qp, ConnectionOptions options, byte[] privateData,
      ConnectionObserver observer) {
    Check.given("node", peer);
    Check.given("service", service);
    byte[] copy = copyOf(privateData);
    services.checkOpen(node);
    toInit(hca, qp, options);
    actor.tell(new CmActor.Connect(peer, service, qp, options, copy, observer));
  }

  @Override
  public Directory.Subscription onNodeLost(Consumer<String> listener) {
    return services.addLossListener(Check.given("listener", listener));
  }

  @Override
  public void offerDatagrams(String service, QueuePair qp) {
    Check.given("service", service);
    checkOwn(hca, qp);
    if (qp.type() != QpType.UD) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "a datagram service needs a UD queue pair, not " + qp);
    }
    services.addDatagrams(node, service, qp);
  }

  @Override
  public void withdrawDatagrams(String service) {
    services.removeDatagrams(Check.given("service", service));
  }

  @Override
  public void resolveDatagrams(String peer, String service, DatagramObserver observer) {
    Check.given("node", peer);
    Check.given("service", service);
    Check.given("observer", observer);
    services.checkOpen(node);
    actor.tell(new CmActor.Resolve(peer, service, Guarded.observer(observer)));
  }

  @Override
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  /** Checks that the queue pair belongs to this HCA, because peers receive its number together with this HCA's address. */
  private static void checkOwn(Hca hca, QueuePair qp) {
    if (Check.given("qp", qp).hca() != hca) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "queue pair " + qp.qpNum() + " belongs to node " + qp.hca().nodeName()
          + ", not to node " + hca.nodeName() + ", whose connection manager was asked");
    }
  }

  static void toInit(Hca hca, QueuePair qp, ConnectionOptions options) {
    checkOwn(hca, qp);
    Check.given("options", options);
    int limit = qp.hca().settings().rdAtomicMax();
    if (options.rdAtomic() > limit) {
      throw new VerbsException(VerbsException.Errno.EINVAL,
          "rdAtomic is " + options.rdAtomic() + ", must be from 0 to " + limit);
    }
    qp.modify(qp.type() == QpType.UD ? QpAttr.initUd(DATAGRAM_QKEY) : QpAttr.init(options.accessFlags()));
  }

  /** Returns a copy of the private data for sending; empty for null. */
  static byte[] copyOf(byte[] data) {
    if (data == null) {
      return new byte[0];
    }
    if (data.length > PRIVATE_DATA_BYTES_MAX) {
      throw new VerbsException(VerbsException.Errno.EINVAL,
          "the private data is " + data.length + " bytes, must be at most " + PRIVATE_DATA_BYTES_MAX);
    }
    return data.clone();
  }
}
