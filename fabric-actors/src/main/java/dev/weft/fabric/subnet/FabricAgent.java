package dev.weft.fabric.subnet;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.TimerScheduler;
import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Down;
import akka.cluster.typed.Subscribe;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.ControlMessage;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.trunk.TrunkEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The subnet management agent of a JVM. It registers the JVM and its nodes with the subnet manager, repeatedly, and applies
 * the published views to the directory, the trunks and the routes of the local switch. It runs on the default dispatcher,
 * because it waits for the media driver when it opens or closes a trunk.
 */
public final class FabricAgent {
  /** A command to the agent. */
  public sealed interface Command extends ControlMessage {}

  /**
   * Registers a node of this JVM. The agent answers when the subnet manager has decided, which needs a cluster. On success,
   * the agent gives the switch port the LID before it answers.
   *
   * @param name unique in the cluster, 1 to 64 characters
   * @param portNumber port of the local switch to which its HCA is attached, with LID 0
   * @param cm its connection manager
   */
  public record AddNode(String name, int portNumber, ActorRef<HardwareMessage> cm, ActorRef<? super AddReply> replyTo)
      implements Command {}

  /** Answer to {@link AddNode}. */
  public sealed interface AddReply {}

  /** The node is on the fabric. */
  public record NodeAdded(String name, int lid) implements AddReply {}

  /** The node is not on the fabric. */
  public record NodeRefused(String name, String reason) implements AddReply {}

  /** Removes a node; the caller detaches its switch port. */
  public record RemoveNode(String name) implements Command {}

  /** The command for {@link MulticastGroups#join}, within this JVM. */
  public record JoinGroup(String group, int portNumber, boolean receives, Consumer<MulticastGroups.Answer> done)
      implements Command {}

  /** The command for {@link MulticastGroups#leave}, within this JVM. */
  public record LeaveGroup(String group, int portNumber, boolean receives) implements Command {}

  /**
   * Publishes the advert of a service at a node of this JVM; it replaces the service's earlier advert there.
   *
   * @param done called once on the agent's thread when the subnet manager has decided, with null or the reason of a refusal
   */
  public record Advertise(Advert advert, Consumer<String> done) implements Command {}

  /** Withdraws the advert of a service at a node. */
  public record WithdrawAdvert(String node, String service) implements Command {}

  /** Asks for the state of this JVM's trunks. */
  public record Inspect(ActorRef<? super List<TrunkSnapshot>> replyTo) implements Command {}

  /** The subnet manager's answer to a registration. */
  record Registered(
      long number, JvmEntry jvm, List<NodeEntry> accepted, List<NodeRefusal> refused, List<NodeRefusal> refusedGroups,
      List<AdvertRefusal> refusedAdverts)
      implements Command {}

  /** The subnet manager has a new view. */
  record ViewChanged(FabricView view) implements Command {}

  private record SwitchAnswered(SwitchActor.AttachReply reply) implements Command {}

  /** The process of a JVM on this host has ended. */
  private record JvmDied(JvmEntry jvm) implements Command {}

  /** The cluster will remove a JVM, because an agent has seen its end, or because it was silent for too long. */
  private record JvmDowned(String jvm, long incarnation) implements Command {}

  private static final Duration ADVERTS_DELAY = Duration.ofMillis(10);

  private static final Duration MEMBERSHIP_INTERVAL = Duration.ofSeconds(1);

  private enum Signal implements Command {
    TICK,
    /** Checks whether this JVM has become a member. */
    MEMBERSHIP,
    /** Adverts have changed; one registration sends all changes together. */
    ADVERTS
  }

  private static final class LocalNode {
    final AddNode request;
    int lid;

    LocalNode(AddNode request) {
      this.request = request;
    }
  }

  private final ActorContext<Command> actor;
  private final TimerScheduler<Command> timers;
  private final SubnetSettings settings;
  private final TrunkEndpoint endpoint;
  private final ActorRef<SwitchActor.Command> leaf;
  private final ClusterDirectory directory;
  private final ActorRef<SubnetManagerActor.Command> manager;
  private final Consumer<String> onFailure;
  private final TrunkTable trunks;
  private final AgentGroups groups;
  private final AgentAdverts adverts;
  private final Map<String, LocalNode> nodes = new LinkedHashMap<>();
  private final DownedJvms downed = new DownedJvms();
  private final MembershipWait membership;
  private JvmEntry self;
  /** The view as the subnet manager has published it; {@code view} is the same without JVMs that are down. */
  private FabricView published = FabricView.EMPTY;
  private FabricView view = FabricView.EMPTY;
  private long changes = 1;
  private long confirmed;
  private boolean failed;

  private FabricAgent(
      ActorContext<Command> actor,
      TimerScheduler<Command> timers,
      SubnetSettings settings,
      TrunkEndpoint endpoint,
      ActorRef<SwitchActor.Command> leaf,
      ClusterDirectory directory,
      ActorRef<SubnetManagerActor.Command> manager,
      Consumer<String> onFailure) {
    this.actor = actor;
    this.timers = timers;
    this.settings = settings;
    this.endpoint = endpoint;
    this.leaf = leaf;
    this.directory = directory;
    this.manager = manager;
    this.onFailure = onFailure;
    Member member = Cluster.get(actor.getSystem()).selfMember();
    this.self = new JvmEntry(SubnetManagerActor.jvm(member), SubnetManagerActor.incarnation(member), 0, endpoint.address(),
        true);
    this.trunks = new TrunkTable(actor.getSystem(), endpoint, leaf,
        actor.messageAdapter(SwitchActor.AttachReply.class, SwitchAnswered::new),
        jvm -> actor.getSelf().tell(new JvmDied(jvm)));
    this.groups = new AgentGroups(leaf, actor.getSelf());
    this.adverts = new AgentAdverts(settings.advertsMaxBytes());
    this.membership = new MembershipWait(settings.memberWithin());
    timers.startTimerWithFixedDelay(Signal.MEMBERSHIP, MEMBERSHIP_INTERVAL);
    Cluster.get(actor.getSystem()).subscriptions().tell(Subscribe.create(actor.messageAdapter(ClusterEvent.MemberDowned.class,
        down -> new JvmDowned(SubnetManagerActor.jvm(down.member()), SubnetManagerActor.incarnation(down.member()))), ClusterEvent.MemberDowned.class));
    register();
  }

  /**
   * Makes an agent. Spawn it on the default dispatcher after adding the receiver of {@code endpoint} to the pollers of the
   * hardware dispatcher.
   *
   * @param leaf the switch of this JVM
   * @param manager the result of {@link SubnetManagerActor#start}
   * @param onFailure called once, with the reason, if this JVM has lost its trunks for good, did not become a member in time, or got
   *     another number; the agent then terminates the actor system
   */
  public static Behavior<Command> create(
      SubnetSettings settings,
      TrunkEndpoint endpoint,
      ActorRef<SwitchActor.Command> leaf,
      ClusterDirectory directory,
      ActorRef<SubnetManagerActor.Command> manager,
      Consumer<String> onFailure) {
    return Behaviors.setup(actor -> Behaviors.withTimers(timers -> {
      FabricAgent agent =
          new FabricAgent(actor, timers, settings, endpoint, leaf, directory, manager, onFailure);
      return Behaviors.receive(Command.class)
          .onMessage(Command.class, agent::onMessage)
          .onSignal(PostStop.class, signal -> agent.onPostStop())
          .build();
    }));
  }

  /** Returns the multicast groups of the fabric, for the nodes of this agent's JVM. */
  public static MulticastGroups groups(ActorRef<Command> agent) {
    return new MulticastGroups() {
      @Override
      public void join(String group, int portNumber, boolean receives, Consumer<Answer> done) {
        agent.tell(new JoinGroup(group, portNumber, receives, done));
      }

      @Override
      public void leave(String group, int portNumber, boolean receives) {
        agent.tell(new LeaveGroup(group, portNumber, receives));
      }
    };
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case AddNode add -> onAddNode(add);
      case RemoveNode remove -> onRemoveNode(remove);
      case Inspect inspect -> inspect.replyTo().tell(trunks.snapshot());
      case Registered answer -> onRegistered(answer);
      case ViewChanged news -> onViewChanged(news.view());
      case SwitchAnswered answer -> {
        trunks.onSwitchAnswered(answer.reply(), view, self);
        applyGroups();
      }
      case JvmDied died -> onJvmDied(died.jvm());
      case JvmDowned down -> onJvmDowned(down.jvm(), down.incarnation());
      case JoinGroup join -> {
        groups.join(join);
        changes++;
        register();
      }
      case LeaveGroup leave -> {
        groups.leave(leave);
        changes++;
        register();
      }
      case Advertise advertise -> {
        if (adverts.add(advertise.advert(), changes + 1, advertise.done())) {
          changes++;
          registerSoon();
        }
      }
      case WithdrawAdvert withdraw -> {
        if (adverts.remove(withdraw.node(), withdraw.service())) {
          changes++;
          registerSoon();
        }
      }
      case Signal.TICK -> onTick();
      case Signal.MEMBERSHIP -> onMembership();
      case Signal.ADVERTS -> register();
    }
    return Behaviors.same();
  }

  private void onAddNode(AddNode add) {
    LocalNode known = nodes.putIfAbsent(add.name(), new LocalNode(add));
    if (known != null) {
      add.replyTo().tell(new NodeRefused(add.name(), "this JVM already has a node \"" + add.name() + "\""));
      return;
    }
    changes++;
    register();
  }

  private void onRemoveNode(RemoveNode remove) {
    LocalNode removed = nodes.remove(remove.name());
    if (removed != null) {
      groups.removePort(removed.request.portNumber());
      adverts.removeNode(remove.name());
      changes++;
      register();
    }
  }

  /**
   * Removes a JVM immediately after the end of its process, without waiting for the failure detector. A paused process has not ended and stays. The
   * other members learn of the removal by gossip, and their agents then do the same. The cluster removes the JVM when the failure detector agrees.
   */
  private void onJvmDied(JvmEntry dead) {
    Cluster cluster = Cluster.get(actor.getSystem());
    for (Member member : cluster.state().getMembers()) {
      if (SubnetManagerActor.jvm(member).equals(dead.jvm()) && SubnetManagerActor.incarnation(member) == dead.incarnation()) {
        actor.getLog().warn("process {} of JVM {} has ended; it is removed from the fabric", dead.trunks().processId(), dead.jvm());
        cluster.manager().tell(new Down(member.address()));
      }
    }
    onJvmDowned(dead.jvm(), dead.incarnation());
  }

  private void onJvmDowned(String jvm, long incarnation) {
    boolean isSelf = self.jvm().equals(jvm) && self.incarnation() == incarnation; // A JVM that is downed itself ends anyway.
    if (!isSelf && downed.add(jvm, incarnation)) {
      showView();
    }
  }

  private void onTick() {
    if (!endpoint.isOpen()) {
      fail("the media driver is lost; the trunks of this JVM are cut");
      return;
    }
    applyView();
    register();
  }

  private void onMembership() {
    switch (membership.after(MEMBERSHIP_INTERVAL, Cluster.get(actor.getSystem()).selfMember().status())) {
      case WAITING -> {}
      case MEMBER -> timers.cancel(Signal.MEMBERSHIP);
      case OVERDUE -> fail("this JVM was let into the fabric, and is still no member of it after weft.fabric.subnet.member-within ("
          + settings.memberWithin().toSeconds() + " s): the JVM that let it in has ended before it told the others, or they do not answer; join again");
    }
  }

  private void applyView() {
    trunks.apply(view, self);
    applyGroups();
  }

  private void applyGroups() {
    groups.apply(view, self.number(), trunks::portOf);
  }

  private void registerSoon() {
    if (!timers.isTimerActive(Signal.ADVERTS)) {
      timers.startSingleTimer(Signal.ADVERTS, ADVERTS_DELAY);
    }
  }

  private void register() {
    List<NodeClaim> claims = new ArrayList<>();
    nodes.values().forEach(node -> claims.add(new NodeClaim(node.request.name(), node.lid, node.request.cm())));
    manager.tell(new SubnetManagerActor.RegisterJvm(self, claims, groups.claims(), adverts.claims(), SubnetMap.Seen.of(published),
        changes, actor.getSelf()));
    Duration next = confirmed == changes ? settings.registerInterval() : settings.registerRetryInterval();
    timers.startSingleTimer(Signal.TICK, next);
  }

  private void onRegistered(Registered answer) {
    if (self.number() != 0 && answer.jvm().number() != self.number()) {
      fail("the subnet manager gave number " + answer.jvm().number() + " to this JVM, which has " + self.number());
      return;
    }
    if (self.number() == 0) {
      endpoint.setOwnNumber(answer.jvm().number());
      self = self.with(answer.jvm().number(), true);
    }
    confirmed = Math.max(confirmed, answer.number());
    answer.accepted().forEach(this::onAccepted);
    answer.refused().forEach(this::onRefused);
    answer.refusedGroups().forEach(groups::onRefused);
    if (adverts.onRegistered(answer.number(), answer.refusedAdverts())) {
      changes++;
    }
    applyView();
  }

  private void onAccepted(NodeEntry entry) {
    LocalNode node = nodes.get(entry.name());
    if (node != null && node.lid == 0) {
      node.lid = entry.lid();
      leaf.tell(new SwitchActor.SetLid(node.request.portNumber(), entry.lid()));
      node.request.replyTo().tell(new NodeAdded(entry.name(), entry.lid()));
    }
  }

  private void onRefused(NodeRefusal refusal) {
    LocalNode node = nodes.get(refusal.name());
    if (node == null) {
      return;
    }
    nodes.remove(refusal.name());
    changes++;
    if (node.lid == 0) {
      node.request.replyTo().tell(new NodeRefused(refusal.name(), refusal.reason()));
    } else {
      actor.getLog().error("node {} with LID {} was dropped by the subnet manager: {}", refusal.name(), node.lid,
          refusal.reason());
    }
  }

  private void onViewChanged(FabricView news) {
    if (news.version() > published.version()) {
      published = news;
      showView();
    }
  }

  private void showView() {
    view = downed.without(published);
    applyView();
    directory.apply(view, jvm -> jvm.jvm().equals(self.jvm()) ? Integer.MAX_VALUE : endpoint.pathMtuTo(jvm.trunks()));
  }

  private void fail(String reason) {
    if (failed) {
      return;
    }
    failed = true;
    actor.getLog().error("this JVM leaves the fabric: {}", reason);
    onFailure.accept(reason);
    actor.getSystem().terminate();
  }

  private Behavior<Command> onPostStop() {
    trunks.closeAll();
    adverts.close();
    return Behaviors.same();
  }
}
