package dev.weft.launcher.http;

import akka.actor.Address;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Subscribe;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.StreamSupport;

/** Reads the cluster's state for inspection, and remembers removed members, because Akka's own state forgets them immediately. */
final class ClusterWatch implements Extension {
  private static final int REMOVED_MAX = 32;
  private static final ExtensionId<ClusterWatch> ID = new ExtensionId<>() {
    @Override
    public ClusterWatch createExtension(ActorSystem<?> system) {
      return new ClusterWatch(system);
    }
  };

  private final Cluster cluster;
  private final Deque<ClusterView.RemovedView> removed = new ArrayDeque<>(); // guarded by itself

  private ClusterWatch(ActorSystem<?> system) {
    cluster = Cluster.get(system);
    system.systemActorOf(subscriber(), "weft-cluster-watch", Props.empty());
  }

  /** Returns the watch of an actor system; it begins with the first call. */
  static ClusterWatch of(ActorSystem<?> system) {
    return system.registerExtension(ID);
  }

  private Behavior<ClusterEvent.MemberRemoved> subscriber() {
    return Behaviors.setup(context -> {
      cluster.subscriptions().tell(Subscribe.create(context.getSelf(), ClusterEvent.MemberRemoved.class));
      return Behaviors.receiveMessage(this::onRemoved);
    });
  }

  private Behavior<ClusterEvent.MemberRemoved> onRemoved(ClusterEvent.MemberRemoved event) {
    Member member = event.member();
    synchronized (removed) {
      if (removed.size() == REMOVED_MAX) {
        removed.removeFirst();
      }
      removed.addLast(new ClusterView.RemovedView(hostPort(member.address()), member.uniqueAddress().longUid(),
          event.previousStatus().toString(), System.currentTimeMillis()));
    }
    return Behaviors.same();
  }

  ClusterView view() {
    ClusterEvent.CurrentClusterState state = cluster.state();
    List<ClusterView.MemberView> members = StreamSupport.stream(state.getMembers().spliterator(), false)
        .sorted((one, other) -> one.isOlderThan(other) ? -1 : other.isOlderThan(one) ? 1 : 0)
        .map(member -> new ClusterView.MemberView(hostPort(member.address()), member.uniqueAddress().longUid(),
            member.status().toString(), state.getUnreachable().contains(member), member.getRoles().stream().sorted().toList()))
        .toList();
    Address leader = state.getLeader();
    synchronized (removed) {
      return new ClusterView(hostPort(cluster.selfMember().address()), selfStatus(), leader == null ? "" : hostPort(leader),
          members, List.copyOf(removed));
    }
  }

  private String selfStatus() {
    if (cluster.isTerminated()) {
      return MemberStatus.removed().toString();
    }
    MemberStatus status = cluster.selfMember().status();
    return status == MemberStatus.removed() ? ClusterView.NOT_JOINED : status.toString();
  }

  private static String hostPort(Address address) {
    return address.getHost().orElse("local") + address.getPort().map(port -> ":" + port).orElse("");
  }
}
