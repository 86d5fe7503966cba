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

/** The nodes of a fabric in this JVM: which there are, and how they end. Any thread. */
final class Nodes {
  private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
  static final String CLOSED = "the fabric is closed";

  private record Entry(NodeActor.PortedNode ported, ActorRef<NodeActor.Command> actor) {
    String name() {
      return ported.node().name();
    }
  }

  private final List<Entry> entries = new CopyOnWriteArrayList<>();
  /** What threads that add nodes wait for. */
  private final Map<Thread, CompletableFuture<?>> awaited = new ConcurrentHashMap<>();
  /** How many nodes of a name were closed. */
  private final Map<String, Integer> closedNodes = new ConcurrentHashMap<>();
  private final Duration patience;
  private volatile boolean closed;
  /** All that there is to flush was flushed. */
  private volatile boolean flushed;

  Nodes(Duration patience) {
    this.patience = patience;
  }

  /**
   * Refuses to add a node to a fabric that is closed.
   *
   * @throws IllegalStateException if it is
   */
  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(CLOSED + "; start another one");
    }
  }

  /**
   * What adding a node waits for.
   *
   * @throws IllegalStateException if the fabric is closed meanwhile
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
          + " s: this JVM gets hardly any processor, or its hardware thread is kept busy", e);
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

  /** What the actor of a node is called: where one of that name was closed, its actor may not have left its name yet. */
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
   * Closes one node: its peers are told, then it is taken off the fabric, and its actors end. Without effect on one that was closed, alone or
   * with the fabric.
   *
   * @param waits whether to wait for that; not on the hardware thread
   * @throws IllegalArgumentException if there was none of that name
   */
  void close(String name, DeviceHost fabric, boolean waits) {
    Entry found = entries.stream().filter(entry -> entry.name().equals(name)).findFirst().orElse(null);
    if (found != null && closed || found == null && closedNodes.containsKey(name)) {
      return;
    }
    if (found == null) {
      throw new IllegalArgumentException("no node \"" + name + "\" in this JVM; there are " + entries.stream().map(Entry::name).toList());
    }
    closedNodes.merge(name, 1, Integer::sum); // Before it is gone, so that who closes it again finds either.
    if (!entries.remove(found)) {
      return; // Another thread closes it.
    }
    found.ported.close("the node was closed");
    fabric.detachDevice(name, found.ported.portNumber());
    CompletionStage<Boolean> ended = Patterns.gracefulStop(Adapter.toClassic(found.actor), patience, PoisonPill.getInstance());
    if (waits) {
      ended.toCompletableFuture().join();
    }
  }

  /** Closes all; false if that was done before. */
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
        LOG.error("node {} was not closed as it should be", entry.name(), e); // The others are, and then the actors end.
      }
    }
    flushed = true;
    return first;
  }

  /** What a program waits for that the fabric may be closed under: that, or the end. */
  BooleanSupplier orEnd(BooleanSupplier until) {
    return () -> flushed || until.getAsBoolean(); // In this order: when all was flushed, what was waited for may be there.
  }

  /**
   * After a wait for {@link #orEnd}.
   *
   * @param over whether that has come
   * @throws IllegalStateException if it was the end, and not what was waited for
   */
  boolean hasCome(BooleanSupplier until, boolean over) {
    if (over && !until.getAsBoolean()) {
      checkOpen();
    }
    return over;
  }
}
