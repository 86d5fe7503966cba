package dev.weft.fabric.cluster;

import akka.actor.ActorSystem;
import akka.actor.Props;
import akka.cluster.Cluster;
import akka.cluster.DowningProvider;
import akka.cluster.sbr.DowningStrategy;
import akka.cluster.sbr.KeepMajority;
import akka.cluster.sbr.LeaseMajority;
import akka.cluster.sbr.LeaseMajoritySettings;
import akka.cluster.sbr.SplitBrainResolverProvider;
import akka.cluster.sbr.SplitBrainResolverSettings;
import akka.coordination.lease.scaladsl.LeaseProvider;
import scala.Option;
import scala.concurrent.duration.FiniteDuration;

/**
 * Provides Akka's split brain resolver for Weft's two strategies, using the time for which this JVM ran ({@link RunningResolver}). A program that
 * selects another of Akka's strategies gets Akka's own resolver.
 */
public final class RunningResolverProvider extends DowningProvider {
  private final ActorSystem system;
  private final SplitBrainResolverProvider akkas;

  /** Called by Akka. */
  public RunningResolverProvider(ActorSystem system) {
    this.system = system;
    this.akkas = new SplitBrainResolverProvider(system);
  }

  @Override
  public FiniteDuration downRemovalMargin() {
    return akkas.downRemovalMargin();
  }

  @Override
  public Option<Props> downingActorProps() {
    SplitBrainResolverSettings settings = new SplitBrainResolverSettings(system.settings().config());
    return isWefts(settings.DowningStrategy())
        ? Option.apply(Props.create(RunningResolver.class, () -> new RunningResolver(settings.DowningStableAfter(), strategy(settings))))
        : akkas.downingActorProps();
  }

  private static boolean isWefts(String strategy) {
    return strategy.equals(SplitBrainResolverSettings.KeepMajorityName()) || strategy.equals(SplitBrainResolverSettings.LeaseMajorityName());
  }

  private DowningStrategy strategy(SplitBrainResolverSettings settings) {
    Cluster cluster = Cluster.get(system);
    if (settings.DowningStrategy().equals(SplitBrainResolverSettings.KeepMajorityName())) {
      return new KeepMajority(cluster.selfDataCenter(), settings.keepMajorityRole(), cluster.selfUniqueAddress());
    }
    LeaseMajoritySettings lease = settings.leaseMajoritySettings();
    return new LeaseMajority(cluster.selfDataCenter(), lease.role(),
        LeaseProvider.get(system).getLease(lease.safeLeaseName(system.name()), lease.leaseImplementation(), cluster.selfUniqueAddress().address().hostPort()),
        lease.acquireLeaseDelayForMinority(), lease.releaseAfter(), cluster.selfUniqueAddress());
  }
}
