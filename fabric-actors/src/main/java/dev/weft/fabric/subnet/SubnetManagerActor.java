package dev.weft.fabric.subnet;

import akka.actor.Address;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.TimerScheduler;
import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.ClusterSingleton;
import akka.cluster.typed.SingletonActor;
import akka.cluster.typed.Subscribe;
import dev.weft.fabric.cluster.ControlMessage;
import dev.weft.fabric.node.Advert;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The subnet manager, one per cluster. It takes the registrations of the agents and the cluster's events about members, lets
 * {@link SubnetMap} decide, and publishes each new view to all agents.
 *
 * <p>It keeps nothing on disk: agents repeat their registrations with the LIDs that they have. A new manager first collects
 * the registrations of all members, for at most {@code takeoverGrace}, so that its first view is complete.
 */
public final class SubnetManagerActor {
  /** A command to the subnet manager. */
  public sealed interface Command extends ControlMessage {}

  /**
   * Registers all nodes, groups and adverts of a JVM; the agent repeats it from time to time. The answer is {@link
   * FabricAgent.Registered}, and also {@link FabricAgent.ViewChanged} if the agent's view is not the latest.
   *
   * @param number count of the agent's changes, which the answer returns
   */
  record RegisterJvm(
      JvmEntry jvm, List<NodeClaim> nodes, List<GroupClaim> groups, List<Advert> adverts, SubnetMap.Seen seen, long number,
      ActorRef<FabricAgent.Command> agent)
      implements Command {}

  private record MemberGone(String jvm, long incarnation) implements Command {}

  private record Reachability(String jvm, long incarnation, boolean reachable) implements Command {}

  private enum Signal implements Command { GRACE_OVER, OTHER }

  private final ActorContext<Command> actor;
  private final Cluster cluster;
  private final SubnetMap map;
  private final Map<String, ActorRef<FabricAgent.Command>> agents = new LinkedHashMap<>();
  /** JVMs that are down. When a late message of one of them arrives, the cluster's state may not show this yet. */
  private final DownedJvms downed = new DownedJvms();
  private final Map<String, RegisterJvm> pending = new LinkedHashMap<>();
  private final Set<String> expected = new HashSet<>();
  private boolean collecting = true;

  private SubnetManagerActor(ActorContext<Command> actor, TimerScheduler<Command> timers, SubnetSettings settings) {
    this.actor = actor;
    this.cluster = Cluster.get(actor.getSystem());
    this.map = new SubnetMap(settings.nodesMax(), settings.groupsMax(), settings.advertsMaxBytes());
    for (Member member : cluster.state().getMembers()) {
      if (member.status() == MemberStatus.up()) {
        expected.add(jvm(member));
      }
    }
    cluster.subscriptions().tell(Subscribe.create(
        actor.messageAdapter(ClusterEvent.ClusterDomainEvent.class, SubnetManagerActor::translate),
        ClusterEvent.ClusterDomainEvent.class));
    timers.startSingleTimer(Signal.GRACE_OVER, settings.takeoverGrace());
  }

  static Behavior<Command> create(SubnetSettings settings) {
    return Behaviors.setup(actor -> Behaviors.withTimers(timers -> {
      SubnetManagerActor manager = new SubnetManagerActor(actor, timers, settings);
      return Behaviors.receiveMessage(manager::onMessage);
    }));
  }

  /** Starts the singleton, or a proxy for it, in this JVM. */
  public static ActorRef<Command> start(ActorSystem<?> system, SubnetSettings settings) {
    return ClusterSingleton.get(system).init(SingletonActor.of(create(settings), "subnet-manager"));
  }

  private static Command translate(ClusterEvent.ClusterDomainEvent event) {
    return switch (event) {
      case ClusterEvent.MemberDowned down -> new MemberGone(jvm(down.member()), incarnation(down.member())); // Its removal follows certainly.
      case ClusterEvent.MemberRemoved gone -> new MemberGone(jvm(gone.member()), incarnation(gone.member()));
      case ClusterEvent.UnreachableMember lost -> new Reachability(jvm(lost.member()), incarnation(lost.member()), false);
      case ClusterEvent.ReachableMember found -> new Reachability(jvm(found.member()), incarnation(found.member()), true);
      default -> Signal.OTHER;
    };
  }

  /** Returns {@code host:port} of a member. */
  static String jvm(Member member) {
    Address address = member.address();
    return address.getHost().orElse("local") + ":" + address.getPort().orElse(0);
  }

  static long incarnation(Member member) {
    return member.uniqueAddress().longUid();
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case RegisterJvm registration -> onRegisterJvm(registration);
      case MemberGone gone -> onMemberGone(gone);
      case Reachability change -> map.reachable(change.jvm(), change.incarnation(), change.reachable());
      case Signal signal -> {
        if (signal == Signal.GRACE_OVER) {
          finishCollecting();
        }
      }
    }
    publish();
    return Behaviors.same();
  }

  private void onRegisterJvm(RegisterJvm registration) {
    JvmEntry jvm = registration.jvm();
    if (!isMember(jvm)) {
      return; // The JVM was removed meanwhile, or is not yet known here; its agent repeats the registration.
    }
    if (collecting) {
      pending.put(jvm.jvm(), registration);
      expected.remove(jvm.jvm());
      if (expected.isEmpty()) {
        finishCollecting();
      }
    } else {
      register(registration);
    }
  }

  private boolean isMember(JvmEntry jvm) {
    if (downed.has(jvm.jvm(), jvm.incarnation())) {
      return false;
    }
    for (Member member : cluster.state().getMembers()) {
      if (incarnation(member) == jvm.incarnation() && jvm(member).equals(jvm.jvm())) {
        return member.status() != MemberStatus.down();
      }
    }
    return false;
  }

  /** Registers the JVMs with the latest views first, so that JVMs that are members keep what they have, and new JVMs get the rest. */
  private void finishCollecting() {
    if (!collecting) {
      return;
    }
    collecting = false;
    List<RegisterJvm> all = new ArrayList<>(pending.values());
    pending.clear();
    all.sort(Comparator.comparingLong((RegisterJvm registration) -> -registration.seen().version()));
    all.forEach(this::register);
    for (Member member : cluster.state().getUnreachable()) {
      map.reachable(jvm(member), incarnation(member), false);
    }
    actor.getLog().info("subnet manager took over with {} JVMs", all.size());
  }

  private void register(RegisterJvm registration) {
    JvmEntry jvm = registration.jvm();
    boolean isNew = !map.knows(jvm.jvm(), jvm.incarnation());
    SubnetMap.Outcome outcome = map.register(jvm, registration.nodes(), registration.seen());
    List<NodeRefusal> refusedGroups = map.registerGroups(jvm.jvm(), registration.groups());
    List<AdvertRefusal> refusedAdverts = map.registerAdverts(jvm.jvm(), registration.adverts());
    agents.put(jvm.jvm(), registration.agent());
    if (isNew) {
      actor.getLog().info("JVM {} is number {} of the fabric", jvm.jvm(), outcome.jvm().number());
    }
    registration.agent().tell(new FabricAgent.Registered(registration.number(), outcome.jvm(), outcome.accepted(),
        outcome.refused(), refusedGroups, refusedAdverts));
    if (!map.isChanged() && registration.seen().version() != map.view().version()) {
      registration.agent().tell(new FabricAgent.ViewChanged(map.view()));
    }
  }

  private void onMemberGone(MemberGone gone) {
    downed.add(gone.jvm(), gone.incarnation());
    expected.remove(gone.jvm());
    RegisterJvm waiting = pending.get(gone.jvm());
    if (waiting != null && waiting.jvm().incarnation() == gone.incarnation()) {
      pending.remove(gone.jvm());
    }
    if (map.knows(gone.jvm(), gone.incarnation())) {
      map.remove(gone.jvm(), gone.incarnation());
      agents.remove(gone.jvm());
    }
    if (collecting && expected.isEmpty() && !pending.isEmpty()) {
      finishCollecting();
    }
  }

  private void publish() {
    if (collecting || !map.isChanged()) {
      return;
    }
    FabricAgent.ViewChanged news = new FabricAgent.ViewChanged(map.view());
    agents.values().forEach(agent -> agent.tell(news));
  }
}
