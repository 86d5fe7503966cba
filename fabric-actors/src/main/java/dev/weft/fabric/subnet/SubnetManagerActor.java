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
 * The subnet manager, one per cluster. Takes the registrations of the agents and what the cluster says about members, lets
 * {@link SubnetMap} decide, and publishes each new view to all agents.
 *
 * <p>Keeps nothing on disk: agents repeat their registrations, with the LIDs they have. A manager that has just started
 * collects those of all members first, for at most {@code takeoverGrace}, so that its first view is complete.
 */
public final class SubnetManagerActor {
  /** What the subnet manager can be told. */
  public sealed interface Command extends ControlMessage {}

  /**
   * All that a JVM has, repeated from time to time. Answered by {@link FabricAgent.Registered}, and by {@link
   * FabricAgent.ViewChanged} if the agent's view is not the latest.
   *
   * @param number counts the agent's changes; comes back in the answer
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
  /** The cluster's state may not say so yet when one of them says something that was on its way. */
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

  /** Starts the singleton, or the way to it, in this JVM. */
  public static ActorRef<Command> start(ActorSystem<?> system, SubnetSettings settings) {
    return ClusterSingleton.get(system).init(SingletonActor.of(create(settings), "subnet-manager"));
  }

  private static Command translate(ClusterEvent.ClusterDomainEvent event) {
    return switch (event) {
      case ClusterEvent.MemberDowned down -> new MemberGone(jvm(down.member()), incarnation(down.member())); // Its removal follows for certain.
      case ClusterEvent.MemberRemoved gone -> new MemberGone(jvm(gone.member()), incarnation(gone.member()));
      case ClusterEvent.UnreachableMember lost -> new Reachability(jvm(lost.member()), incarnation(lost.member()), false);
      case ClusterEvent.ReachableMember found -> new Reachability(jvm(found.member()), incarnation(found.member()), true);
      default -> Signal.OTHER;
    };
  }

  /** {@code host:port} of a member. */
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
      return; // Removed meanwhile, or not yet known here; the agent repeats itself.
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

  /** Those who were there longest keep what they have; newcomers get what is left. */
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
