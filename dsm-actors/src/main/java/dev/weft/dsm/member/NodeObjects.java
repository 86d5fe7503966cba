package dev.weft.dsm.member;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.sync.LockWord;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.DsmMessage.Refusal;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The objects that a node knows, and the list of all objects if this node is the first live one. Used in the receive context. */
final class NodeObjects {
  private final DsmParts parts;
  private final Peers peers;
  private final DsmMember member;
  private final FreedArrays freed;
  private final Map<Integer, ObjectSpec> objects = new HashMap<>();
  private final Map<Integer, Wait.OfObject> asked = new HashMap<>();
  /** Places in programs that have made the objects, by object. */
  private final Map<Integer, String> sites = new HashMap<>();
  /** Requests that are not sent, because it is not settled which node has the list; and requests that two nodes may have received. */
  private final Set<Integer> unsent = new HashSet<>();
  private final Set<Integer> resent = new HashSet<>();
  /** Knowledge of other nodes, collected until this node has the list; and requests that arrive before. */
  private final Map<Integer, Known> gathered = new HashMap<>();
  private final ArrayDeque<Runnable> early = new ArrayDeque<>();
  private Definitions definitions;
  private int nextRequest;
  /** Next free numbers, as far as this node knows. */
  private int nextId = 1;
  private int nextMinipage;

  private static final class Known {
    final ObjectSpec spec;
    final String site;
    long by;
    boolean isFreed;

    Known(ObjectSpec spec, String site) {
      this.spec = spec;
      this.site = site;
    }
  }

  NodeObjects(DsmParts parts, Peers peers, DsmMember member) {
    this.parts = parts;
    this.peers = peers;
    this.member = member;
    this.freed = new FreedArrays(peers, this::isInUse, this::giveBack);
  }

  Collection<ObjectSpec> all() {
    return objects.values();
  }

  /** Arrays whose minipages have homes: those with release consistency only have copies. */
  List<ObjectSpec> arrays() {
    return objects.values().stream().filter(spec -> spec.kind().isArray() && !spec.isReleaseConsistent()).toList();
  }

  boolean knows(int object) {
    return objects.containsKey(object);
  }

  FreedArrays freed() {
    return freed;
  }

  private boolean isInUse(ObjectSpec freedArray) {
    return parts.access().isInUse(freedArray) || peers.isReading(freedArray::hasMinipage) || member.direct() != null && member.direct().isBusy(freedArray)
        || member.release().isSendingFreed();
  }

  /** This node begins to assign numbers and places to objects. */
  void define() {
    definitions = new Definitions(parts.settings(), peers, this::homeNodes, member::told);
  }

  /** Whether this node has the list. */
  boolean hasList() {
    return definitions != null;
  }

  private long homeNodes() {
    long staying = member.members() & ~member.absent();
    return peers.named(parts.settings().homeNodes(), staying == 0 ? member.members() : staying, parts.node().name());
  }

  void onObject(Wait.OfObject wait) {
    int request = nextRequest++;
    asked.put(request, wait);
    unsent.add(request);
    sendRequests();
  }

  /** Sends no request while a node is lost or leaves and not everything about it is reported. */
  private void sendRequests() {
    if (member.succession().isReported()) {
      for (int request : new TreeSet<>(unsent)) {
        Wait.OfObject wait = asked.get(request);
        if (wait != null) {
          peers.send(member.definer(), wait.freed > 0 ? new DsmMessage.Free(request, wait.freed) : new DsmMessage.Define(request, wait.wanted, wait.site));
        }
      }
      unsent.clear();
    }
  }

  /** Handles a message about the list of objects. */
  void onMessage(int from, DsmMessage.OfObjects message) {
    switch (message) {
      case DsmMessage.Define m -> onDefine(from, m);
      case DsmMessage.DefinedAck m -> onAck(from, m.object());
      case DsmMessage.Free m -> onFree(from, m);
      case DsmMessage.NothingMore m -> freed.onNothingMore(m.object(), from, knows(m.object()) || !member.joining().knowsAll(), member.nowNs());
      case DsmMessage.Knows m -> onKnows(m, from);
      case DsmMessage.KnowsUpTo m -> onKnowsUpTo(m);
      case DsmMessage.Defined m -> {
        DsmMember.require(member.isDefiner(from));
        onDefined(m.spec(), m.site());
      }
      case DsmMessage.Freed m -> {
        DsmMember.require(member.isDefiner(from));
        onFreed(m);
      }
      case DsmMessage.DefineResult m -> {
        DsmMember.require(member.isDefiner(from));
        onResult(m);
      }
    }
  }

  // The list moves.

  /**
   * This node has reported its rights to objects of a lost home. If the lost node had the list, this node now reports the objects that it knows, and
   * repeats its requests.
   */
  void report(int node) {
    int definer = member.definer();
    if (node < definer) {
      peers.send(definer, new DsmMessage.KnowsUpTo(nextId, nextMinipage));
      objects.values().forEach(spec -> peers.send(definer, new DsmMessage.Knows(spec, false, sites.getOrDefault(spec.id(), ""))));
      freed.inUse().forEach(spec -> peers.send(definer, new DsmMessage.Knows(spec, true, "")));
      unsent.addAll(asked.keySet());
      resent.addAll(asked.keySet());
    }
    sendRequests();
  }

  void onKnows(DsmMessage.Knows message, int from) {
    if (definitions == null) {
      MinipageMap.checkPlace(message.spec(), parts.settings().memoryBytes());
      Known known = gathered.computeIfAbsent(message.spec().id(), id -> new Known(message.spec(), message.site()));
      known.by |= 1L << from;
      known.isFreed |= message.isFreed();
    }
  }

  void onKnowsUpTo(DsmMessage.KnowsUpTo message) {
    if (definitions == null) {
      nextId = Math.max(nextId, message.nextId());
      nextMinipage = Math.max(nextMinipage, message.nextMinipage());
    }
  }

  /** All nodes have reported. */
  void onGathered() {
    if (definitions != null || member.self() != member.definer() || member.self() == 0) {
      return;
    }
    define();
    definitions.beginAt(nextId, nextMinipage);
    gathered.values().stream().sorted(Comparator.comparingInt(known -> known.spec.id()))
        .forEach(known -> definitions.adopt(known.spec, known.site, known.by, known.isFreed));
    gathered.clear();
    for (Runnable next = early.poll(); next != null; next = early.poll()) {
      next.run();
    }
  }

  void onDefine(int from, DsmMessage.Define message) {
    whenDefining(() -> definitions.onDefine(from, message.request(), message.wanted(), message.site()));
  }

  void onFree(int from, DsmMessage.Free message) {
    whenDefining(() -> definitions.onFree(from, message.request(), message.object()));
  }

  /** An acknowledgement for the former list is not needed: the sender's report says what it knows. */
  void onAck(int from, int object) {
    if (definitions != null) {
      definitions.onAck(from, object);
    }
  }

  /** Requests to a leaving node are repeated to the next one. Bound: a thread asks once. */
  private void whenDefining(Runnable action) {
    if (definitions != null && !member.leaving().isLeaving()) {
      action.run();
    } else if (member.self() == member.definer() && early.size() < Definitions.OBJECTS_MAX) {
      early.add(action);
    } else if (!member.leaving().isLeaving()) {
      throw new IllegalArgumentException("this node does not hold the list of objects, or too many requests for it wait");
    }
  }

  /** Tells a joining node all objects. */
  void tellAll(int node) {
    if (definitions != null) {
      definitions.tellAll(node);
    }
  }

  void onDefined(ObjectSpec spec, String site) {
    MinipageMap.checkPlace(spec, parts.settings().memoryBytes());
    if (objects.putIfAbsent(spec.id(), spec) == null) {
      nextId = Math.max(nextId, spec.id() + 1);
      nextMinipage = Math.max(nextMinipage, spec.firstMinipage() + spec.minipages());
      sites.put(spec.id(), site);
      if (spec.kind().isArray()) {
        parts.access().add(spec);
        member.sharing().add(spec, site);
        if (spec.isReleaseConsistent()) {
          member.release().add(spec);
        } else if (member.direct() == null) {
          member.succession().add(spec).forEach(minipage -> parts.access().grant(minipage, Rights.WRITE));
          takeFirst(spec);
        } else {
          member.direct().add(spec);
        }
      } else {
        member.sync().add(spec, parts.words().computeIfAbsent(spec.id(), id -> new LockWord()));
      }
    }
    peers.send(member.definer(), new DsmMessage.DefinedAck(spec.id()));
  }

  /** This node leaves, and the maker of the array did not know it. It has the first copy all the same, and reports it to the next home. */
  private void takeFirst(ObjectSpec spec) {
    for (int i = 0; member.leaving().isLeaving() && i < spec.minipages(); i++) {
      if (spec.wasHome(member.self(), i, member.absent())) {
        parts.access().grant(spec.firstMinipage() + i, Rights.WRITE);
      }
    }
  }

  void onFreed(DsmMessage.Freed message) {
    ObjectSpec spec = objects.remove(message.object());
    sites.remove(message.object());
    long others = message.nodes() & ~(1L << member.self() | member.lost());
    if (spec != null && spec.kind().isArray()) {
      parts.access().remove(spec.id(), "the array \"" + spec.name() + "\" was freed");
      member.homes().remove(spec);
      member.moving().remove(spec.firstMinipage(), spec.minipages());
      member.sharing().remove(spec);
      if (!member.release().remove(spec)) {
        forget(spec);
      }
      freed.add(spec, others, member.nowNs());
    } else if (!freed.keepOnly(message.object(), others, member.nowNs())) {
      peers.send(member.definer(), new DsmMessage.DefinedAck(message.object()));
    }
  }

  private void forget(ObjectSpec spec) {
    if (member.direct() == null) {
      member.core().forget(spec.firstMinipage(), spec.minipages());
    } else {
      member.direct().remove(spec);
    }
  }

  /** No thread or transfer uses the place of an array here any more. */
  private void giveBack(ObjectSpec spec) {
    parts.frames().asSlice(spec.offset(), spec.bytes()).fill((byte) 0);
    peers.send(member.definer(), new DsmMessage.DefinedAck(spec.id()));
  }

  void onResult(DsmMessage.DefineResult result) {
    Wait.OfObject wait = asked.remove(result.request());
    if (wait != null) {
      wait.found = objects.get(result.object());
      boolean wasFreed = resent.remove(result.request()) && wait.freed > 0 && result.refusal() == Refusal.UNKNOWN;
      wait.refusal = wasFreed ? Refusal.NONE : result.refusal();
      wait.text = result.text();
      wait.end();
    }
  }

  /** A node is lost or has left. */
  void onNodeLost(int node) {
    if (definitions != null) {
      definitions.onNodeLost(node);
    }
  }

  /** This node is no longer a member. */
  void end(String why) {
    asked.values().forEach(wait -> wait.fail(why, false));
    asked.clear();
  }
}
