package dev.weft.fabric.cluster;

import akka.cluster.Cluster;
import akka.cluster.ClusterEvent;
import akka.cluster.UniqueAddress;
import akka.cluster.sbr.DowningStrategy;
import akka.cluster.sbr.SplitBrainResolverBase;
import akka.remote.artery.ThisActorSystemQuarantinedEvent;
import dev.weft.fabric.time.RealClock;
import java.util.concurrent.TimeUnit;
import scala.PartialFunction;
import scala.concurrent.duration.FiniteDuration;
import scala.runtime.BoxedUnit;

/**
 * Akka's split brain resolver, extended for pauses of this JVM. After a pause, a JVM may still count as unreachable from before the pause, because this
 * JVM could not receive its heartbeats since. So the resolver restarts its wait, as if these JVMs had just become silent, before it decides which side
 * survives.
 */
final class RunningResolver extends SplitBrainResolverBase {
  private final Cluster cluster = Cluster.get(context().system());
  private long pausedNs = RealClock.pausedNs();
  /** The value of {@code pausedNs} when all JVMs were last reachable. */
  private long calmNs = pausedNs;

  RunningResolver(FiniteDuration stableAfter, DowningStrategy strategy) {
    super(stableAfter, strategy);
  }

  @Override
  public UniqueAddress selfUniqueAddress() {
    return cluster.selfUniqueAddress();
  }

  @Override
  public String selfDc() {
    return cluster.selfDataCenter();
  }

  @Override
  public void preStart() throws Exception {
    cluster.subscribe(self(), ClusterEvent.initialStateAsEvents(), ClusterEvent.ClusterDomainEvent.class);
    context().system().eventStream().subscribe(self(), ThisActorSystemQuarantinedEvent.class);
    super.preStart();
  }

  @Override
  public void postStop() {
    cluster.unsubscribe(self());
    context().system().eventStream().unsubscribe(self(), ThisActorSystemQuarantinedEvent.class);
    super.postStop();
  }

  @Override
  public void down(UniqueAddress node, DowningStrategy.Decision decision) {
    log().info("SBR is downing [{}]", node);
    cluster.down(node.address());
  }

  @Override
  public void aroundReceive(PartialFunction<Object, BoxedUnit> receive, Object message) {
    long nowPausedNs = RealClock.pausedNs();
    if (nowPausedNs != pausedNs) {
      pausedNs = nowPausedNs;
      resetStableDeadline();
    }
    super.aroundReceive(receive, message);
    if (strategy().isAllUnreachableDownOrExiting()) {
      calmNs = pausedNs;
    }
  }

  /** Adds the pauses, because Akka compares the result with the machine's time since a JVM became unreachable, which includes pauses. */
  @Override
  public FiniteDuration downAllWhenUnstable() {
    FiniteDuration running = super.downAllWhenUnstable();
    return running.toNanos() == 0 ? running : FiniteDuration.apply(running.toNanos() + pausedNs - calmNs, TimeUnit.NANOSECONDS);
  }
}
