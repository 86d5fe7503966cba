package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The connection and datagram services that one node offers. Any thread. */
public final class CmServices {
  private final ConcurrentHashMap<String, ConnectionListener> listeners = new ConcurrentHashMap<>();

  private final ConcurrentHashMap<String, QueuePair> datagrams = new ConcurrentHashMap<>();

  private volatile Runnable onClose = () -> {};
  private volatile boolean closed;

  /** Sets the action that ends the connections of the connection manager. */
  void onClose(Runnable action) {
    onClose = action;
  }

  /**
   * Ends the node's connections and notifies their consumers and peers. Rejects further connections. Hardware thread; idempotent.
   */
  public void close() {
    if (!closed) {
      closed = true;
      onClose.run();
    }
  }

  /** Closes the services of a crashed node without notifying its consumers and peers. Hardware thread. */
  public void abandon() {
    closed = true;
  }

  void checkOpen(String node) {
    if (closed) {
      throw new VerbsException(VerbsException.Errno.ENODEV, "node " + node + " is closed");
    }
  }

  boolean isClosed() {
    return closed;
  }

  private final CopyOnWriteArrayList<Consumer<String>> lossListeners = new CopyOnWriteArrayList<>();

  Directory.Subscription addLossListener(Consumer<String> listener) {
    lossListeners.add(listener);
    return () -> lossListeners.remove(listener);
  }

  void nodeLost(String node) {
    lossListeners.forEach(listener -> listener.accept(node));
  }

  void addDatagrams(String node, String service, QueuePair qp) {
    checkOpen(node);
    if (datagrams.putIfAbsent(service, qp) != null) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "node " + node + " offers a datagram service named " + service + " already");
    }
  }

  void removeDatagrams(String service) {
    datagrams.remove(service);
  }

  /** Returns the queue pair of a datagram service, or null if there is none or it cannot receive. */
  QueuePair findDatagrams(String service) {
    QueuePair qp = datagrams.get(service);
    boolean receives = qp != null && !qp.isDestroyed()
        && (qp.state() == QpState.RTR || qp.state() == QpState.RTS || qp.state() == QpState.SQD || qp.state() == QpState.SQE);
    return receives ? qp : null;
  }

  void add(String node, String service, ConnectionListener listener) {
    checkOpen(node);
    if (listeners.putIfAbsent(service, listener) != null) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "node " + node + " offers a service named " + service + " already");
    }
  }

  void remove(String service) {
    listeners.remove(service);
  }

  /** Removes the services that this actor listens for. */
  void removeAll(ActorRef<?> consumer) {
    listeners.values().removeIf(listener -> listener instanceof ActorListener actor && actor.consumer().equals(consumer));
  }

  ConnectionListener find(String service) {
    return listeners.get(service);
  }

  /** The sorted names of the datagram services. */
  List<String> datagramNames() {
    return datagrams.keySet().stream().sorted().toList();
  }

  /** The sorted names of the connection services. */
  public List<String> names() {
    return listeners.keySet().stream().sorted().toList();
  }
}
