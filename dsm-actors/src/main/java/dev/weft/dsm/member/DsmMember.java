package dev.weft.dsm.member;

import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.home.MovingHomes;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.release.ReleaseCore;
import dev.weft.dsm.sharing.SharingStatistics;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A node as a member of a shared memory: the other members, the objects, and the dispatch of messages to the parts of the protocol. Used in the
 * receive context.
 */
public final class DsmMember implements Peers.Receiver {
  private final DsmParts parts;
  private final Peers peers;
  private final ReleaseGroup group;
  private final NodeCore core;
  private final MinipageMap minipages;
  private final NodeObjects objects;
  private final Joining joining;
  private final Leaving leaving;
  private final MinipageMessages minipageMessages;
  private final Consumer<Peer> onLoss;
  private final SharingStatistics sharing;
  private HomeCore homes;
  private MovingHomes moving;
  /** The synchronous engine; null with the request engine, whose parts are {@link #core} and {@link #homes}. */
  private DirectEngine direct;
  private SyncRoles sync;
  private ReleaseCore release;
  private Succession succession;
  private int self = -1;
  /** Bits of the nodes that have joined, as far as this node knows; bits of those that were told of objects. */
  private long members;
  private long told;
  private long lost;

  /**
   * @param connector connects a new peer and tells it about this node
   * @param onLoss called with each peer that is taken for lost
   */
  public DsmMember(DsmParts parts, BiConsumer<Peer, Hello> connector, Consumer<Peer> onLoss) {
    this.parts = parts;
    this.onLoss = onLoss;
    this.minipages = new MinipageMap(parts.access(), this::absent);
    this.peers = new Peers(parts.settings().buffers(), parts.region(), minipages, this);
    this.group = new ReleaseGroup(parts, peers, this);
    this.sharing = new SharingStatistics(parts.settings().statisticsMax());
    this.core = new NodeCore(parts.access(), this::homeOf, minipage -> succession.isMoving(minipage), peers, peers, parts.settings().graceNs());
    core.tellHomesOf(minipages::isDynamic);
    core.describeEventsBy((event, minipage) -> minipages.describe(event, minipage, self));
    this.joining = new Joining(parts, connector, peers, this);
    this.leaving = new Leaving(parts, peers, this);
    this.objects = new NodeObjects(parts, peers, this);
    this.minipageMessages = new MinipageMessages(peers, this);
  }

  /** The admission of new members. */
  public Joining joining() {
    return joining;
  }

  /** The departure of this node and of others. */
  public Leaving leaving() {
    return leaving;
  }

  Succession succession() {
    return succession;
  }

  public Peers peers() {
    return peers;
  }

  public void onFault(Fault fault) {
    if (leaving.isLeaving()) {
      fault.fail(leaving.why(), false);
    } else if (release.has(fault.minipage)) {
      release.onFault(fault.minipage, fault);
    } else if (direct == null) {
      core.onFault(fault);
    } else {
      direct.core().onFault(fault.minipage, fault);
    }
  }

  NodeObjects known() {
    return objects;
  }

  public NodeCore core() {
    return core;
  }

  /** Null with the request engine. */
  public DirectEngine direct() {
    return direct;
  }

  public HomeCore homes() {
    return homes;
  }

  /** Null until this node has a number. */
  public MovingHomes moving() {
    return moving;
  }

  /** The home of a minipage, as far as this node knows. */
  int homeOf(int minipage) {
    return moving.homeOf(minipage);
  }

  public MinipageMap minipages() {
    return minipages;
  }

  public SharingStatistics sharing() {
    return sharing;
  }

  public Collection<ObjectSpec> objects() {
    return objects.all();
  }

  /** This node's number; -1 if it has none yet. */
  public int self() {
    return self;
  }

  /** Bits of the present members, as far as this node knows. */
  public long members() {
    return members;
  }

  /** Bits of the present nodes that were told of objects. */
  long told() {
    return told;
  }

  /** Bits of the nodes that are lost, or have left. */
  public long lost() {
    return lost;
  }

  /** Bits of the nodes that are the home of nothing: lost, left, or about to leave. */
  long absent() {
    return lost | leaving.retired();
  }

  public ReleaseCore release() {
    return release;
  }

  /** The multicast group of this space. */
  public ReleaseGroup group() {
    return group;
  }

  public SyncRoles sync() {
    return sync;
  }

  void is(int number) {
    self = number;
    members = 1L << number;
    told = members;
    peers.is(number);
    homes = new HomeCore(number, parts.settings().readsByRdma(), peers, () -> members, () -> members & ~leaving.retired(), sharing);
    moving = new MovingHomes(number, homes, peers, minipages::isDynamic, minipages::homeOf, () -> (leaving.retired() & ~lost) == 0);
    release = new ReleaseCore(number, parts.frames(), parts.settings().memoryBytes(), parts.settings().releaseTwinBytes(), parts.access(), peers, this::others,
        group, parts.settings().multicast());
    sync = new SyncRoles(number, release.outbox(), this::absent);
    direct = parts.tables() == null ? null : new DirectEngine(number, parts, minipages, peers, this::nowNs, this::lost, this::absent);
    succession = new Succession(number, parts.access(), minipages, objects::arrays, core, homes, moving, direct, sync, release.outbox(),
        peers, this::absent, objects::report, this::onGathered);
  }

  /** The node is connected, and is told of objects from now on. */
  void connected(int node) {
    told |= 1L << node;
  }

  /** The node has joined, as far as this node knows. */
  void joined(int node) {
    members |= 1L << node;
  }

  /** The greeting of this node to a peer. */
  public Hello hello(int assigned) {
    return new Hello(self, assigned, parts.region().addr(), parts.region().rkey(), parts.settings().memoryBytes(),
        parts.tables() == null ? null : parts.tables().hello(parts.settings()));
  }

  /** All nodes have reported their rights to objects of lost homes. */
  private void onGathered() {
    objects.onGathered();
    leaving.onGathered();
  }

  // Minipages.

  public void onObject(Wait.OfObject wait) {
    if (leaving.isLeaving()) {
      wait.fail(leaving.why(), false);
    } else {
      objects.onObject(wait);
    }
  }

  /** Retries orders that waited for threads inside. */
  public void retry(long nowNs) {
    core.retry(nowNs);
    if (direct != null) {
      direct.core().retry(nowNs);
    }
    objects.freed().retry(nowNs);
    if (release != null) {
      release.multicast().ask(nowNs);
    }
  }

  /** When {@link #retry} should be called again; {@link NodeCore#NEVER} if there is no need. */
  public long retryAtNs() {
    long ofMinipages = Math.min(direct == null ? core.retryAtNs() : direct.retryAtNs(), objects.freed().retryAtNs());
    long ofMember = Math.min(ofMinipages, leaving.lookAtNs());
    return release == null ? ofMember : Math.min(ofMember, release.multicast().askAtNs(nowNs()));
  }

  /** Whether a thread that leaves a minipage should notify the actor. */
  public boolean isWaitedFor() {
    return core.hasRevocations() || objects.freed().retryAtNs() != NodeCore.NEVER;
  }

  /** A thread wants copies of minipages that it will use. */
  public void prefetch(NodeCommand.Prefetch wanted) {
    minipageMessages.prefetch(wanted);
  }

  /** Handles the messages of this node to itself. */
  public void doLocal() {
    do {
      for (DsmMessage next = peers.nextLocal(); next != null; next = peers.nextLocal()) {
        onMessage(self, next);
      }
    } while (direct != null && direct.doLocal());
  }

  @Override
  public void onMessage(int from, DsmMessage message) {
    Peer peer = peers.get(from);
    if (peer == null) {
      dispatch(from, message); // A message of this node itself.
      return;
    }
    try {
      dispatch(from, message);
    } catch (RuntimeException cannotBe) {
      // A message with impossible content must not end this node.
      peers.refused();
      onFailed(peer, "it sent " + message + ": " + cannotBe);
    }
  }

  private void dispatch(int from, DsmMessage message) {
    if (leaving.isVoid(from, message) || moving != null && succession.isVoid(from, message)) {
      return;
    }
    if (moving != null && !succession.isUnaware(from)) {
      moving.see(from, message);
    }
    if (from != self) {
      minipages.requireHome(from, message);
    }
    switch (message) {
      case DsmMessage.OfMinipage m -> minipageMessages.onMessage(from, m);
      case DsmMessage.OfObjects m -> objects.onMessage(from, m);
      case DsmMessage.OfMember m -> onMember(from, m);
      case DsmMessage.OfRelease m -> release.onMessage(from, m);
      case DsmMessage.OfSync m -> sync.onMessage(from, m);
    }
  }

  private void onMember(int from, DsmMessage.OfMember message) {
    switch (message) {
      case DsmMessage.Joined m -> joined(from);
      case DsmMessage.NodeGone m -> onGone(m.node(), from);
      case DsmMessage.Holds m -> succession.onHolds(m, from);
      case DsmMessage.HoldsEnd m -> succession.onEnd(m.node(), from);
      case DsmMessage.Retires m -> leaving.onRetires(m.node(), from);
      case DsmMessage.Evacuate m -> leaving.onEvacuate(m, from);
      case DsmMessage.Safe m -> leaving.onSafe(m);
      case DsmMessage.Left m -> onLeft(peers.get(from));
      case DsmMessage.Leaving m -> onFailed(peers.get(from), "it has left");
      case DsmMessage.Member m -> {
        require(joining.isRegistrar(from));
        joining.onMember(m.node(), m.name());
      }
      case DsmMessage.MembersEnd m -> {
        require(joining.isRegistrar(from));
        joining.onMembersEnd();
      }
    }
  }

  /** Refuses a message that this node takes from other nodes only, or not at all. */
  static void require(boolean isUnderstood) {
    if (!isUnderstood) {
      throw new IllegalArgumentException("this node does not take that type of message from that node; run the same version of Weft in all JVMs");
    }
  }

  @Override
  public void onFetched(int minipage, int op, int from) {
    core.onFetched(minipage, op, from);
    succession.look();
  }

  @Override
  public void onStep(int index) {
    direct.onCompleted(index);
    if (direct.hasSettled()) {
      succession.look();
    }
  }

  long nowNs() {
    return parts.node().context().clock().nowNs();
  }

  // Nodes that are lost.

  public void onNodeLost(String name) {
    for (Peer peer : peers.all()) {
      if (peer.name.equals(name) && self >= 0) { // Otherwise the attempt to connect to it fails.
        onFailed(peer, "it was lost");
        if ((lost & 1L << peer.id) == 0) { // This node was about to ask it again.
          loseUnknown(peer.id);
        }
      }
    }
  }

  @Override
  public void onFailed(Peer peer, String why) {
    if (peer.isLost) {
      return;
    }
    peers.lose(peer);
    if (leaving.isGoing()) {
      leaving.onPeerGone();
      return;
    }
    forget(peer.id);
    String what = "node " + peer.name + " is lost to shared memory " + parts.space() + ": " + why;
    if (joining.onLost(peer, what)) {
      return;
    }
    onLoss.accept(peer);
    joining.onAnswered(peer);
    succession.begin(peer.id, others());
    core.onNodeLost(peer.id);
    if (direct != null) {
      direct.onNodeLost(peer.id, succession.isReported(peer.id));
    }
    homes.onNodeLost(peer.id);
    release.onNodeLost(peer.id);
    if (leaving.isRetired(peer.id)) {
      sync.onRetiredLost(peer.id, what);
    } else {
      sync.onNodeLost(peer.id, what);
    }
    onNodeGone(peer.id);
  }

  /** Common steps for a node that was lost or has left, except those of homes. */
  private void onNodeGone(int node) {
    objects.freed().onNodeLost(node, nowNs());
    objects.onNodeLost(node);
    leaving.onHomesMove();
    succession.look();
    joining.look();
    minipageMessages.askAgain();
  }

  /** A leaving node has given all its minipages away. */
  private void onLeft(Peer peer) {
    if (!leaving.isRetired(peer.id)) {
      onFailed(peer, "it has left");
      return;
    }
    peers.lose(peer);
    if (leaving.isGoing()) {
      leaving.onPeerGone();
      return;
    }
    long joiners = told & ~members;
    forget(peer.id);
    for (long left = self == definer() ? joiners & ~(1L << peer.id) : 0; left != 0; left &= left - 1) {
      peers.send(Long.numberOfTrailingZeros(left), new DsmMessage.NodeGone(peer.id)); // Other nodes may not be connected to it yet.
    }
    joining.onAnswered(peer);
    succession.left(peer.id);
    if (direct != null) {
      direct.onNodeLost(peer.id, true);
    }
    homes.onNodeLost(peer.id);
    release.onNodeLost(peer.id);
    sync.onNodeLeft(peer.id);
    onNodeGone(peer.id);
  }

  /** Whether a node assigns numbers and places to objects. A leaving node did so before, and its earlier messages may still arrive. */
  boolean isDefiner(int node) {
    return node == definer() || leaving.isRetired(node) && node < definer();
  }

  /** The node that assigns numbers and places to objects: the first live one. */
  int definer() {
    return Long.numberOfTrailingZeros(~(absent() | joining.gone()));
  }

  /** Loses a node that this node has never been connected to. */
  void loseUnknown(int node) {
    forget(node);
    succession.begin(node, others());
    leaving.onHomesMove();
    if (direct != null) {
      direct.onNodeLost(node, succession.isReported(node));
    }
  }

  private void forget(int node) {
    long bit = 1L << node;
    lost |= bit;
    members &= ~bit;
    told &= ~bit;
  }

  /** Bits of the other nodes that live. */
  long others() {
    long all = 0;
    for (Peer peer : peers.all()) {
      all |= peer.isLost ? 0 : 1L << peer.id;
    }
    return all;
  }

  /** Another node reports that a node is lost. */
  private void onGone(int node, int from) {
    if (node < 0 || node >= Peers.NODES_MAX || node == self || node == from) {
      throw new IllegalArgumentException("that cannot be lost");
    }
    Peer peer = peers.get(node);
    if (peer != null && !peer.isLost) {
      onFailed(peer, "node " + peers.get(from).name + " has lost it");
    } else if ((lost & 1L << node) == 0) {
      loseUnknown(node);
    }
    succession.onGone(node, from);
  }

  /** Ends the membership of this node. */
  public void end(String why) {
    endThreads(why);
    peers.all().forEach(peers::lose);
  }

  /** Ends all waits of threads; no new wait may begin. */
  void endThreads(String why) {
    joining.fail(why, false);
    if (sync != null) {
      sync.end(why);
    }
    objects.end(why);
    for (PageTable table : parts.access().tables()) {
      parts.access().remove(table.spec().id(), why);
      if (!release.remove(table.spec())) {
        core.forget(table.spec().firstMinipage(), table.spec().minipages());
        if (direct != null) {
          direct.remove(table.spec());
        }
      }
    }
  }
}
