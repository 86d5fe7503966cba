package dev.weft.hca.node;

import akka.actor.PoisonPill;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.pattern.Patterns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes of a fabric in this JVM, and how they end. Any thread. */
final class Nodes {
  private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
  static final String CLOSED = "the fabric is closed";

  private record Entry(NodeActor.PortedNode ported, ActorRef<NodeActor.Command> actor) {
    String name() {
      return ported.node().name();
    }
  }

  private final List<Entry> entries = new CopyOnWriteArrayList<>();
  /** The results for which threads that add nodes wait. */
  private final Map<Thread, CompletableFuture<?>> awaited = new ConcurrentHashMap<>();
  /** The number of closed nodes for each name. */
  private final Map<String, Integer> closedNodes = new ConcurrentHashMap<>();
  private final Duration patience;
  private volatile boolean closed;
  /** Set when all outstanding requests have been flushed. */
  private volatile boolean flushed;

  Nodes(Duration patience) {
    this.patience = patience;
  }

  /**
   * Checks that the fabric is open.
   *
   * @throws IllegalStateException if the fabric is closed
   */
  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(CLOSED + "; start another one");
    }
  }

  /**
   * Waits for a step of adding a node.
   *
   * @throws IllegalStateException if the fabric is closed during the wait
   */
  <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> result = stage.toCompletableFuture().copy();
    awaited.put(Thread.currentThread(), result);
    try {
      if (closed) {
        refuse(result);
      }
      return result.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IllegalStateException refused ? refused : new CompletionException(e.getCause());
    } catch (TimeoutException e) {
      throw new CompletionException("the node was not attached within " + patience.toSeconds()
          + " s: this JVM gets too little processor time, or its hardware thread is busy", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    } finally {
      awaited.remove(Thread.currentThread());
    }
  }

  private static void refuse(CompletableFuture<?> result) {
    result.completeExceptionally(new IllegalStateException(CLOSED));
  }

  /** Returns the name for the actor of a node. It differs from the node's name if an earlier node of that name may still have its actor. */
  String actorName(String node) {
    int before = closedNodes.getOrDefault(node, 0);
    return before == 0 ? node : node + "~" + before;
  }

  Node add(NodeActor.PortedNode node, ActorRef<NodeActor.Command> actor) {
    entries.add(new Entry(node, actor));
    if (closed) {
      node.close(CLOSED);
    }
    return node.node();
  }

  List<Node> all() {
    return entries.stream().map(entry -> entry.ported.node()).toList();
  }

  /**
   * Closes one node: notifies its peers, removes it from the fabric and ends its actors. Does nothing if the node or the fabric is closed already.
   *
   * @param waits whether to wait until the actors have ended; not on the hardware thread
   * @throws IllegalArgumentException if this JVM never had a node of that name
   */
  void close(String name, DeviceHost fabric, boolean waits) {
    Entry found = entries.stream().filter(entry -> entry.name().equals(name)).findFirst().orElse(null);
    if (found != null && closed || found == null && closedNodes.containsKey(name)) {
      return;
    }
    if (found == null) {
      throw new IllegalArgumentException("no node \"" + name + "\" in this JVM; there are " + entries.stream().map(Entry::name).toList());
    }
    closedNodes.merge(name, 1, Integer::sum); // Before the removal, so that a second close finds the entry or this count.
    if (!entries.remove(found)) {
      return; // Another thread is closing the node.
    }
    found.ported.close("the node was closed");
    fabric.detachDevice(name, found.ported.portNumber());
    CompletionStage<Boolean> ended = Patterns.gracefulStop(Adapter.toClassic(found.actor), patience, PoisonPill.getInstance());
    if (waits) {
      ended.toCompletableFuture().join();
    }
  }

  /** Closes all nodes; returns whether this was the first call. */
  boolean close() {
    boolean first;
    synchronized (this) {
      first = !closed;
      closed = true;
    }
    awaited.values().forEach(Nodes::refuse);
    for (Entry entry : new ArrayList<>(entries)) {
      try {
        entry.ported.close("the fabric was closed");
      } catch (RuntimeException e) {
        LOG.error("node {} could not be closed; closing the fabric continues", entry.name(), e); // Closing continues with the other nodes; then the actors end.
      }
    }
    flushed = true;
    return first;
  }

  /** Returns a condition that holds if {@code until} holds or the fabric has been closed. */
  BooleanSupplier orEnd(BooleanSupplier until) {
    return () -> flushed || until.getAsBoolean(); // In this order, because flushing may make the condition true.
  }

  /**
   * Returns the result of a wait for {@link #orEnd}.
   *
   * @param over whether that condition held
   * @throws IllegalStateException if the wait ended because the fabric was closed, and {@code until} does not hold
   */
  boolean hasCome(BooleanSupplier until, boolean over) {
    if (over && !until.getAsBoolean()) {
      checkOpen();
    }
    return over;
  }
}
