package dev.weft.dsm.node;

import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.sharing.SharingStatistics;
import dev.weft.dsm.sync.LockWord;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * A node as a member of a shared memory: who the others are, which objects there are, and which part of the protocol a message is for. Used in the
 * receive context.
 */
final class DsmMember implements Peers.Receiver {
  private final DsmParts parts;
  private final BiConsumer<Peer, Hello> connector;
  private final Peers peers;
  private final NodeCore core;
  private final MinipageMap minipages;
  private final FreedArrays freed;
  private final boolean isFounder;
  private final Map<Integer, ObjectSpec> objects = new HashMap<>();
  private final Map<Integer, Waits.OfObject> asked = new HashMap<>();
  private final List<Waits.OfJoin> joining = new ArrayList<>();
  private final SharingStatistics sharing;
  private HomeCore homes;
  /** The synchronous engine; null with the other one, whose parts are {@link #core} and {@link #homes}. */
  private DirectEngine direct;
  private SyncRoles sync;
  private Succession succession;
  private Definitions definitions;
  private int self = -1;
  private int nextNode = 1;
  private int nextRequest;
  /** Bits of the nodes that have joined, as far as is known here; and of those that were told of objects. */
  private long members;
  private long told;
  private long lost;
  private int connecting;
  private boolean knowsAll;
  private boolean isMember;
  private String problem;

  /** @param connector connects a new peer and says what this node is */
  DsmMember(DsmParts parts, BiConsumer<Peer, Hello> connector) {
    this.parts = parts;
    this.connector = connector;
    this.isFounder = parts.founder().equals(parts.node().name());
    this.minipages = new MinipageMap(parts.access(), () -> lost);
    this.peers = new Peers(parts.settings().buffers(), parts.region(), minipages, this);
    this.sharing = new SharingStatistics(parts.settings().statisticsMax());
    this.core = new NodeCore(parts.access(), minipages::homeOf, minipage -> succession.isMoving(minipage), peers, peers, parts.settings().graceNs());
    core.describeEventsBy((event, minipage) -> minipages.describe(event, minipage, self));
    this.freed = new FreedArrays(peers, this::isInUse, this::giveBack);
  }

  Peers peers() {
    return peers;
  }

  private boolean isInUse(ObjectSpec freedArray) {
    return parts.access().isInUse(freedArray) || peers.isReading(freedArray::hasMinipage) || direct != null && direct.isBusy(freedArray);
  }

  void onFault(Fault fault) {
    if (direct == null) {
      core.onFault(fault);
    } else {
      direct.core().onFault(fault.minipage, fault);
    }
  }

  NodeCore core() {
    return core;
  }

  /** Null with the request engine. */
  DirectEngine direct() {
    return direct;
  }

  HomeCore homes() {
    return homes;
  }

  MinipageMap minipages() {
    return minipages;
  }

  SharingStatistics sharing() {
    return sharing;
  }

  Collection<ObjectSpec> objects() {
    return objects.values();
  }

  /** This node's number; -1 if it has none yet. */
  int self() {
    return self;
  }

  /** Bits of the nodes that are there, as far as is known here. */
  long members() {
    return members;
  }

  /** Bits of the nodes that are lost, or have left. */
  long lost() {
    return lost;
  }

  SyncRoles sync() {
    return sync;
  }

  // Becoming a member.

  /** Starts the space, or asks its first node. */
  void begin() {
    if (isFounder) {
      is(0);
      definitions = new Definitions(parts.settings(), peers, () -> peers.named(parts.settings().homeNodes(), members, parts.node().name()), () -> told);
      isMember = true;
    } else {
      connecting++;
      ask(0, parts.founder());
    }
  }

  private void ask(int id, String name) {
    Peer peer = peers.add(id, name);
    peer.isAsked = true;
    connector.accept(peer, hello(-1));
  }

  private void is(int number) {
    self = number;
    members = 1L << number;
    told = members;
    peers.is(number);
    homes = new HomeCore(number, parts.settings().readsByRdma(), peers, () -> members, sharing);
    sync = new SyncRoles(number, peers, () -> lost);
    direct = parts.tables() == null ? null : new DirectEngine(number, parts, minipages, peers, this::nowNs);
    succession = new Succession(number, parts.access(), minipages, () -> direct == null ? arrays().toList() : List.of(), core, homes, sync, peers,
        () -> lost);
  }

  /** What this node tells the one that it connects with. */
  Hello hello(int assigned) {
    return new Hello(self, assigned, parts.region().addr(), parts.region().rkey(), parts.settings().memoryBytes(),
        parts.tables() == null ? null : parts.tables().hello(parts.settings()));
  }

  /** Why a node is not let in; null if it is. */
  String problemOf(Hello hello) {
    if (hello == null) {
      return "that was no greeting of this version";
    }
    if (hello.bytes() != parts.settings().memoryBytes()) {
      return "weft.dsm.memory is " + hello.bytes() + " there and " + parts.settings().memoryBytes() + " here; must be the same";
    }
    String engines = Hello.Direct.problem(hello.direct(), parts.settings());
    if (engines != null) {
      return engines;
    }
    if (hello.node() < 0 && !isFounder) {
      return "the first node of " + parts.space() + " is " + parts.founder();
    }
    if (hello.node() < 0 && nextNode >= Peers.NODES_MAX) {
      return parts.space() + " has had " + Peers.NODES_MAX + " nodes, which is the most";
    }
    if (hello.node() >= 0 && hello.node() < Peers.NODES_MAX && (lost & 1L << hello.node()) != 0) {
      return "node " + hello.node() + " counts as lost";
    }
    if (hello.node() >= Peers.NODES_MAX || hello.node() >= 0 && (hello.node() == self || peers.get(hello.node()) != null)) {
      return "there is a node " + hello.node() + " already, or there cannot be";
    }
    return null;
  }

  /** Lets a node in; the connection is made next. */
  Peer admit(String name, Hello hello) {
    Peer peer = peers.add(hello.node() < 0 ? nextNode++ : hello.node(), name);
    peer.knows(hello);
    return peer;
  }

  /** {@code hello} is what the other side gave; null where this side was asked. */
  void onConnected(Peer peer, Hello hello) {
    if (peer.isLost) {
      return;
    }
    if (hello != null) { // This side has asked.
      isAnswered(peer);
      peer.knows(hello);
      if (self < 0) {
        is(hello.assigned());
      }
    }
    peers.ready(peer);
    freed.onConnected(peer.id);
    members |= isFounder ? 0 : 1L << peer.id; // The founder waits until it has joined.
    told |= 1L << peer.id;
    if (isFounder) {
      for (Peer other : peers.all()) {
        if (other.id < peer.id && !other.isLost) {
          peers.send(peer.id, new DsmMessage.Member(other.id, other.name));
        }
      }
      definitions.tellAll(peer.id);
      peers.send(peer.id, new DsmMessage.MembersEnd(0));
    }
    lookWhetherJoined();
  }

  /** The other side does not want this node. */
  void onRefused(Peer peer, String why) {
    if (!peer.isLost) {
      isAnswered(peer);
      peers.lose(peer);
      fail("node " + peer.name + " does not let this node into shared memory " + parts.space() + ": " + why);
    }
  }

  /** The other side is not there; whether it should be asked again. */
  boolean onAbsent(Peer peer) {
    if (!peer.isLost && !peer.isAsked) {
      onFailed(peer, "it has asked to be let in, and did not come"); // Others must not wait for it.
    }
    boolean isToBeAsked = !peer.isLost;
    peers.lose(peer);
    return isToBeAsked;
  }

  void askAgain(int id, String name) {
    if ((lost & 1L << id) != 0) { // Somebody has told this meanwhile.
      connecting--;
      lookWhetherJoined();
    } else if (!isMember && problem == null) {
      ask(id, name);
    }
  }

  private void isAnswered(Peer peer) {
    connecting -= peer.isAsked ? 1 : 0;
    peer.isAsked = false;
  }

  private void lookWhetherJoined() {
    if (!isFounder && !isMember && knowsAll && connecting == 0) {
      isMember = true;
      peers.send(0, new DsmMessage.Joined());
      joining.forEach(this::welcome);
      joining.clear();
    }
  }

  private void welcome(Waits.OfJoin wait) {
    wait.number = self;
    wait.end();
  }

  private void fail(String why) {
    problem = why;
    joining.forEach(wait -> wait.fail(why, false));
    joining.clear();
  }

  void onJoin(Waits.OfJoin wait) {
    if (problem != null) {
      wait.fail(problem, false);
    } else if (isMember) {
      welcome(wait);
    } else {
      joining.add(wait);
    }
  }

  void onLeave(Waits.OfLeave wait) {
    for (Peer peer : peers.all()) {
      peers.send(peer.id, new DsmMessage.Leaving());
    }
    endThreads("node " + parts.node().name() + " has left shared memory " + parts.space()); // Before the others end their connections.
    wait.end();
  }

  // Objects.

  void onObject(Waits.OfObject wait) {
    if ((lost & 1) != 0) {
      wait.fail("the first node of shared memory " + parts.space() + ", " + parts.founder() + ", is lost: nobody knows of new objects", true);
      return;
    }
    int request = nextRequest++;
    asked.put(request, wait);
    peers.send(0, wait.freed > 0 ? new DsmMessage.Free(request, wait.freed) : new DsmMessage.Define(request, wait.wanted, wait.site));
  }

  private void onDefined(ObjectSpec spec, String site) {
    MinipageMap.checkPlace(spec, parts.settings().memoryBytes());
    if (objects.putIfAbsent(spec.id(), spec) == null) {
      if (spec.kind().isArray()) {
        parts.access().add(spec);
        sharing.add(spec, site);
        if (direct == null) {
          homes.add(spec, lost).forEach(minipage -> parts.access().grant(minipage, Rights.WRITE));
        } else {
          direct.add(spec);
        }
      } else {
        sync.add(spec, parts.words().computeIfAbsent(spec.id(), id -> new LockWord()));
      }
    }
    peers.send(0, new DsmMessage.DefinedAck(spec.id()));
  }

  private void onFreed(DsmMessage.Freed message) {
    ObjectSpec spec = objects.remove(message.object());
    long others = message.nodes() & ~(1L << self | lost);
    if (spec != null && spec.kind().isArray()) {
      parts.access().remove(spec.id(), "the array \"" + spec.name() + "\" was freed");
      homes.remove(spec);
      sharing.remove(spec);
      if (direct == null) {
        core.forget(spec.firstMinipage(), spec.minipages());
      } else {
        direct.remove(spec);
      }
      freed.add(spec, others, nowNs());
    } else if (!freed.keepOnly(message.object(), others, nowNs())) {
      peers.send(0, new DsmMessage.DefinedAck(message.object()));
    }
  }

  /** Nobody touches the place of an array here any more. */
  private void giveBack(ObjectSpec spec) {
    parts.frames().asSlice(spec.offset(), spec.bytes()).fill((byte) 0);
    peers.send(0, new DsmMessage.DefinedAck(spec.id()));
  }

  private void onResult(DsmMessage.DefineResult result) {
    Waits.OfObject wait = asked.remove(result.request());
    if (wait != null) {
      wait.found = objects.get(result.object());
      wait.refusal = result.refusal();
      wait.text = result.text();
      wait.end();
    }
  }

  /** Tries again what threads were in the way of. */
  void retry(long nowNs) {
    core.retry(nowNs);
    if (direct != null) {
      direct.core().retry(nowNs);
    }
    freed.retry(nowNs);
  }

  /** When {@link #retry} should be called again; {@link NodeCore#NEVER} if there is no need. */
  long retryAtNs() {
    return Math.min(direct == null ? core.retryAtNs() : direct.core().retryAtNs(), freed.retryAtNs());
  }

  /** Whether a thread that leaves a minipage should say so. */
  boolean isWaitedFor() {
    return core.hasRevocations() || freed.retryAtNs() != NodeCore.NEVER;
  }

  void prefetch(DsmNodeActor.Prefetch wanted) {
    ObjectSpec spec = wanted.table().spec();
    for (int i = wanted.index(); i < wanted.index() + wanted.count(); i++) {
      int minipage = spec.firstMinipage() + i;
      if (!wanted.forAll()) {
        prefetch(minipage);
      } else if (direct != null) {
        for (long left = members; left != 0; left &= left - 1) {
          peers.send(Long.numberOfTrailingZeros(left), new DsmMessage.Push(minipage));
        }
      } else if (objects.containsKey(spec.id())) {
        peers.send(spec.homeOf(i, lost), new DsmMessage.Push(minipage));
      }
    }
  }

  private void prefetch(int minipage) {
    if (direct == null) {
      core.prefetch(minipage);
    } else {
      direct.core().prefetch(minipage);
    }
  }

  // What comes.

  /** Does what this node has told itself. */
  void doLocal() {
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
      dispatch(from, message); // Of this node itself.
      return;
    }
    try {
      dispatch(from, message);
    } catch (RuntimeException cannotBe) {
      // One that says what cannot be must not end this node.
      onFailed(peer, "it sent " + message + ": " + cannotBe);
    }
  }

  private void dispatch(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.ReadRequest m -> homes.onRequest(m.minipage(), from, false, m.firstWord(), m.lastWord());
      case DsmMessage.WriteRequest m -> homes.onRequest(m.minipage(), from, true, m.firstWord(), m.lastWord());
      case DsmMessage.Invalidated m -> homes.onInvalidated(m.minipage(), m.op(), from);
      case DsmMessage.Confirm m -> homes.onConfirm(m.minipage(), m.op(), from);
      case DsmMessage.Push m -> {
        if (direct == null) {
          homes.onPush(m.minipage());
        } else {
          prefetch(m.minipage());
        }
      }
      case DsmMessage.ForwardRead m -> core.onForwardRead(m, from, nowNs());
      case DsmMessage.ForwardWrite m -> core.onForwardWrite(m, from, nowNs());
      case DsmMessage.Invalidate m -> core.onInvalidate(m, from, nowNs());
      case DsmMessage.Data m -> core.onData(m, minipages.homeOf(m.minipage()), from);
      case DsmMessage.Grant m -> core.onGrant(m, from);
      case DsmMessage.Fetch m -> peers.read(m.minipage(), m.op(), m.source());
      case DsmMessage.Ask m -> onAsk(m, from);
      case DsmMessage.Lost m -> core.onLost(m.minipage(), "the only copy of " + minipages.nameOf(m.minipage()) + " was on a node that is lost");
      default -> dispatchControl(from, message);
    }
  }

  /** What the lost node has sent and has not come yet would be put over what is written next. */
  private void onAsk(DsmMessage.Ask ask, int home) {
    Peer source = peers.get(ask.source());
    if (source != null && !source.isLost && ask.source() != home) {
      onFailed(source, "node " + peers.get(home).name + " has lost it");
    }
    core.onAsk(ask, home);
  }

  private void dispatchControl(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.Define m -> founder().onDefine(from, m.request(), m.wanted(), m.site());
      case DsmMessage.DefinedAck m -> founder().onAck(from, m.object());
      case DsmMessage.Free m -> founder().onFree(from, m.request(), m.object());
      case DsmMessage.Joined m -> members |= 1L << from;
      case DsmMessage.NothingMore m -> freed.onNothingMore(m.object(), from, objects.containsKey(m.object()) || !knowsAll, nowNs());
      case DsmMessage.NodeGone m -> onGone(m.node(), from);
      case DsmMessage.Holds m -> succession.onHolds(m, from);
      case DsmMessage.HoldsEnd m -> succession.onEnd(m.node(), from);
      case DsmMessage.Leaving m -> onFailed(peers.get(from), "it has left");
      default -> {
        if (!onFounderMessage(from, message) && !sync.onMessage(from, message)) {
          throw new IllegalArgumentException("nobody here understands it");
        }
      }
    }
  }

  /** What the first node says, and nobody else may; false if it is none of that. */
  private boolean onFounderMessage(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.Defined m when from == 0 -> onDefined(m.spec(), m.site());
      case DsmMessage.Freed m when from == 0 -> onFreed(m);
      case DsmMessage.DefineResult m when from == 0 -> onResult(m);
      case DsmMessage.Member m when from == 0 -> {
        if (peers.get(m.node()) == null) {
          connecting++;
          ask(m.node(), m.name());
        }
      }
      case DsmMessage.MembersEnd m when from == 0 -> {
        knowsAll = true;
        for (int id = 1; id < self; id++) {
          if (peers.get(id) == null) {
            loseUnknown(id); // It was lost before this node came.
          }
        }
        succession.look();
        lookWhetherJoined();
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private Definitions founder() {
    if (definitions == null) {
      throw new IllegalArgumentException("this is not the first node");
    }
    return definitions;
  }

  @Override
  public void onFetched(int minipage, int op, int from) {
    core.onFetched(minipage, op, from);
    succession.look();
  }

  @Override
  public void onStep(int index) {
    direct.onCompleted(index);
  }

  private long nowNs() {
    return parts.node().context().clock().nowNs();
  }

  // Nodes that are lost.

  void onNodeLost(String name) {
    for (Peer peer : peers.all()) {
      if (peer.name.equals(name)) {
        onFailed(peer, "it was lost");
        if ((lost & 1L << peer.id) == 0 && self >= 0) { // It was to be asked again.
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
    forget(peer.id);
    String what = "node " + peer.name + " is lost to shared memory " + parts.space() + ": " + why;
    if (self < 0 || !isMember && peer.id == 0) {
      fail(what);
      return;
    }
    isAnswered(peer);
    succession.begin(peer.id, others());
    core.onNodeLost(peer.id);
    if (direct != null) {
      direct.onNodeLost(peer.id, what);
    }
    homes.onNodeLost(peer.id);
    sync.onNodeLost(peer.id, what);
    freed.onNodeLost(peer.id, nowNs());
    if (definitions != null) {
      definitions.onNodeLost(peer.id);
    }
    succession.look();
    lookWhetherJoined();
    if (peer.id == 0) {
      asked.values().forEach(wait -> wait.fail(what, true));
      asked.clear();
    }
  }

  /** One that this node has never been connected with. */
  private void loseUnknown(int node) {
    forget(node);
    succession.begin(node, others());
    if (direct != null) {
      direct.onNodeLost(node, "node " + node + " is lost to shared memory " + parts.space());
    }
  }

  private void forget(int node) {
    long bit = 1L << node;
    lost |= bit;
    members &= ~bit;
    told &= ~bit;
  }

  /** Bits of the other nodes that live. */
  private long others() {
    long all = 0;
    for (Peer peer : peers.all()) {
      all |= peer.isLost ? 0 : 1L << peer.id;
    }
    return all;
  }

  private Stream<ObjectSpec> arrays() {
    return objects.values().stream().filter(spec -> spec.kind().isArray());
  }

  /** Another node says that a node is lost. */
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

  /** This node is a member no more. */
  void end(String why) {
    endThreads(why);
    peers.all().forEach(peers::lose);
  }

  /** Nobody waits any more, and nobody may begin. */
  private void endThreads(String why) {
    fail(why);
    if (sync != null) {
      sync.end(why);
    }
    asked.values().forEach(wait -> wait.fail(why, false));
    asked.clear();
    for (PageTable table : parts.access().tables()) {
      parts.access().remove(table.spec().id(), why);
      core.forget(table.spec().firstMinipage(), table.spec().minipages());
      if (direct != null) {
        direct.remove(table.spec());
      }
    }
  }
}
