package dev.weft.hca.node;

import akka.Done;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.subnet.ClusterDirectory;
import dev.weft.hca.cm.CmActor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the case that this JVM leaves the fabric against its will, because the other JVMs have removed it or it has lost its trunks. Before the
 * actors end, this class removes all nodes from this JVM's directory. That ends all connections of the JVM's nodes and flushes their outstanding
 * requests, so that all waiting threads return. Any thread.
 */
final class LeavingFabric {
  private static final Logger LOG = LoggerFactory.getLogger(LeavingFabric.class);
  /** Shorter than the timeout of a phase of Akka's shutdown. */
  private static final long PATIENCE_MS = 2_000;
  private static final String REMOVED = "the fabric has removed this JVM: other JVMs did not hear it for too long (it was paused, or the network"
      + " between them was cut), or the first JVM of 'weft up' has ended, which decides which JVMs stay";

  private final ActorSystem<?> system;
  private final ClusterDirectory directory;
  private final Consumer<String> onFailure;
  private final List<ActorRef<HardwareMessage>> connectionManagers = new CopyOnWriteArrayList<>();
  private final AtomicBoolean hasFailed = new AtomicBoolean();
  private volatile boolean closing;
  private volatile String reason;

  private LeavingFabric(ActorSystem<?> system, ClusterDirectory directory, Consumer<String> onFailure) {
    this.system = system;
    this.directory = directory;
    this.onFailure = onFailure;
  }

  /** Starts to watch the actor system. */
  static LeavingFabric watch(ActorSystem<?> system, ClusterDirectory directory, Consumer<String> onFailure) {
    LeavingFabric leaving = new LeavingFabric(system, directory, onFailure);
    CoordinatedShutdown.get(system).addTask(CoordinatedShutdown.PhaseBeforeServiceUnbind(), "weft-tell-who-waits", leaving::onShutdown);
    return leaving;
  }

  /** Adds the connection manager of a node. */
  void add(ActorRef<HardwareMessage> connectionManager) {
    connectionManagers.add(connectionManager);
  }

  /** Reports that the program closes the fabric; from now on leaving it is no failure. */
  void close() {
    closing = true;
  }

  /**
   * Checks that this JVM is still on the fabric.
   *
   * @throws IllegalStateException with the reason if this JVM has lost the fabric
   */
  void checkOnFabric() {
    String lost = reason;
    if (lost != null) {
      throw new IllegalStateException("this JVM has lost the fabric: " + lost + "; close it, and start or join one again");
    }
  }

  /** Reports that this JVM has lost the fabric: ends its connections, then reports the reason unless an earlier failure was reported. */
  void failed(String why) {
    reason = why;
    endConnections().thenRun(() -> {
      if (hasFailed.compareAndSet(false, true)) {
        onFailure.accept(why);
      }
    });
  }

  private CompletionStage<Done> onShutdown() {
    if (closing) {
      return CompletableFuture.completedFuture(Done.getInstance());
    }
    if (isRemoved()) {
      reason = REMOVED;
    }
    return endConnections().thenApply(all -> {
      if (isRemoved()) {
        LOG.error("{}", REMOVED);
        failed(REMOVED);
      }
      return Done.getInstance();
    });
  }

  private CompletableFuture<Void> endConnections() {
    directory.loseAll();
    return CompletableFuture.allOf(connectionManagers.stream().map(LeavingFabric::settle).toArray(CompletableFuture[]::new));
  }

  /** Completes when the node's connections to lost nodes have ended, or after {@code PATIENCE_MS} if the node itself has ended. */
  private static CompletableFuture<Void> settle(ActorRef<HardwareMessage> connectionManager) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    connectionManager.tell(CmActor.settle(() -> done.complete(null)));
    return done.completeOnTimeout(null, PATIENCE_MS, TimeUnit.MILLISECONDS);
  }

  private boolean isRemoved() {
    return CoordinatedShutdown.get(system).getShutdownReason().filter(CoordinatedShutdown.clusterDowningReason()::equals).isPresent();
  }
}
