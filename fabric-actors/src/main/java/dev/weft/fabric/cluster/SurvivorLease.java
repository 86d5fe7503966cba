package dev.weft.fabric.cluster;

import akka.actor.ExtendedActorSystem;
import akka.cluster.Cluster;
import akka.cluster.ClusterEvent.CurrentClusterState;
import akka.cluster.Member;
import akka.coordination.lease.LeaseSettings;
import akka.coordination.lease.javadsl.Lease;
import dev.weft.fabric.files.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, for Akka's split brain resolver, whether the JVMs that still hear each other go on without the others. If all JVMs are on one host,
 * the side that asks first goes on ({@link HostArbiter}). A killed JVM does not ask, so the remaining JVMs go on, whichever they are. If both
 * sides are alive, exactly one goes on. Across hosts, a dead host cannot be distinguished from one that is cut off. Then the larger side goes
 * on; of two equal sides, the one with the oldest JVM. That is the fabric's first JVM as long as it lives.
 */
public final class SurvivorLease extends Lease {
  private static final Logger LOG = LoggerFactory.getLogger(SurvivorLease.class);

  private final LeaseSettings settings;
  private final ExtendedActorSystem system;
  private volatile boolean held;

  /** Called by Akka. */
  public SurvivorLease(LeaseSettings settings, ExtendedActorSystem system) {
    this.settings = settings;
    this.system = system;
  }

  @Override
  public LeaseSettings getSettings() {
    return settings;
  }

  @Override
  public CompletionStage<Boolean> acquire() {
    CurrentClusterState state = Cluster.get(system).state();
    List<Member> here = new ArrayList<>();
    state.getMembers().forEach(here::add);
    List<Member> there = here.stream().filter(state.getUnreachable()::contains).toList();
    here.removeAll(there);
    held = there.isEmpty() || mayGoOn(here, there);
    LOG.info("{} JVMs that reach each other, {}, do not reach {} others, {}: this side {}", here.size(), addresses(here), there.size(),
        addresses(there), held ? "goes on" : "ends");
    return CompletableFuture.completedFuture(held);
  }

  private static boolean mayGoOn(List<Member> here, List<Member> there) {
    if (!isOneHost(here, there)) {
      return isLargerOrOlder(here, there);
    }
    Path directory = MediaDriverSettings.defaultDirectory(HostArbiter.class.getSimpleName()).getParent();
    try {
      PrivateDirectory.create(directory, "remove it");
      return new HostArbiter(directory).mayGoOn(incarnations(here), incarnations(there));
    } catch (IOException e) {
      LOG.warn("{} cannot say which JVMs of this host go on, so the larger side does, or that with the oldest JVM", directory, e);
      return isLargerOrOlder(here, there);
    }
  }

  private static boolean isOneHost(List<Member> here, List<Member> there) {
    Optional<String> host = here.getFirst().address().getHost();
    return host.isPresent() && here.stream().allMatch(member -> member.address().getHost().equals(host))
        && there.stream().allMatch(member -> member.address().getHost().equals(host));
  }

  /** Whether this side is the larger one or, if both are equal, the one with the oldest JVM. Exactly one of two sides gets true. */
  static boolean isLargerOrOlder(Collection<Member> here, Collection<Member> there) {
    if (here.size() != there.size()) {
      return here.size() > there.size();
    }
    Member oldestHere = here.stream().min(Member.ageOrdering()).orElseThrow();
    Member oldestThere = there.stream().min(Member.ageOrdering()).orElseThrow();
    return oldestHere.isOlderThan(oldestThere);
  }

  private static List<Long> incarnations(Collection<Member> members) {
    return members.stream().map(member -> member.uniqueAddress().longUid()).toList();
  }

  private static List<String> addresses(Collection<Member> members) {
    return members.stream().map(member -> member.address().hostPort()).toList();
  }

  /** Never calls {@code lost}: JVMs that were given up stay given up. */
  @Override
  public CompletionStage<Boolean> acquire(Consumer<Optional<Throwable>> lost) {
    return acquire();
  }

  @Override
  public CompletionStage<Boolean> release() {
    held = false;
    return CompletableFuture.completedFuture(true);
  }

  @Override
  public boolean checkLease() {
    return held;
  }
}
