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
 * Akka's split brain resolver, but for pauses of this JVM: what is unreachable when it wakes may have been so before, and had no chance to be heard
 * since. So it waits once more, as if what it does not hear had just become silent, before it decides who goes on.
 */
final class RunningResolver extends SplitBrainResolverBase {
  private final Cluster cluster = Cluster.get(context().system());
  private long pausedNs = RealClock.pausedNs();
  /** When all were reachable, last. */
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

  /** Akka compares it with the machine's time since somebody became unreachable, which pauses are a part of. */
  @Override
  public FiniteDuration downAllWhenUnstable() {
    FiniteDuration running = super.downAllWhenUnstable();
    return running.toNanos() == 0 ? running : FiniteDuration.apply(running.toNanos() + pausedNs - calmNs, TimeUnit.NANOSECONDS);
  }
}
