package dev.weft.dsm.member;

import dev.weft.dsm.net.Denial;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.HomePlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * How a node becomes a member: numbers, greetings, and news about other members. The lowest live node assigns numbers, also those of objects. A
 * joining node asks the nodes that it knows ({@link Candidates}), which name that node. Used in the receive context.
 */
public final class Joining {
  private final DsmParts parts;
  private final BiConsumer<Peer, Hello> connector;
  private final Peers peers;
  private final DsmMember member;
  private final boolean isFounder;
  private final Candidates candidates;
  private final List<Wait.OfJoin> waiting = new ArrayList<>();
  /** The node that has assigned this node's number; null at the first node, and until then. */
  private Peer registrar;
  private int connecting;
  private boolean knowsAll;
  private boolean isMember;
  private String problem;
  private boolean isToBeTriedAgain;

  /** @param connector connects a new peer and tells it about this node */
  Joining(DsmParts parts, BiConsumer<Peer, Hello> connector, Peers peers, DsmMember member) {
    this.parts = parts;
    this.connector = connector;
    this.peers = peers;
    this.member = member;
    this.isFounder = parts.founder().equals(parts.node().name());
    this.candidates = new Candidates(parts);
  }

  boolean isMember() {
    return isMember;
  }

  /** Bits of the nodes below the one that has assigned this node's number: they are the home of nothing any more. */
  long gone() {
    return registrar == null ? 0 : (1L << registrar.id) - 1;
  }

  /** Whether that node has sent the complete list of members. */
  boolean knowsAll() {
    return knowsAll;
  }

  /** Starts the space, or asks to join. */
  public void begin() {
    if (isFounder) {
      member.is(0);
      member.known().define();
      isMember = true;
    } else {
      connecting++;
      ask(0, candidates.next());
    }
  }

  private void ask(int id, String name) {
    Peer peer = peers.add(id, name);
    peer.isAsked = true;
    connector.accept(peer, member.hello(-1));
  }

  /** Why a node is refused; null if it is admitted. */
  public Denial problemOf(Hello hello) {
    if (hello == null) {
      return Denial.no("the greeting of the joining node is of another version of Weft");
    }
    if (hello.bytes() != parts.settings().memoryBytes()) {
      return Denial.no("weft.dsm.memory is " + hello.bytes() + " there and " + parts.settings().memoryBytes() + " here; must be the same");
    }
    String engines = Hello.Direct.problem(hello.direct(), parts.settings());
    if (engines != null) {
      return Denial.no(engines);
    }
    if (hello.node() < 0) {
      return problemOfNew();
    }
    if (hello.node() >= Peers.NODES_MAX) {
      return Denial.no("there cannot be a node " + hello.node());
    }
    if ((member.lost() & 1L << hello.node()) != 0) {
      return Denial.lost("node " + hello.node() + " counts as lost");
    }
    if (hello.node() == member.self() || peers.get(hello.node()) != null) {
      return Denial.lost("there is a node " + hello.node() + " already");
    }
    return null;
  }

  private Denial problemOfNew() {
    if (!isMember) {
      return Denial.later();
    }
    if (member.definer() != member.self()) {
      Peer definer = peers.get(member.definer());
      return definer == null || definer.isLost ? Denial.later() : Denial.ask(definer.name);
    }
    if (!member.known().hasList() || member.leaving().isLeaving()) {
      return Denial.later(); // First the other nodes report what they know: former members and objects.
    }
    return nextNode() < Peers.NODES_MAX ? null : Denial.no(parts.space() + " has had " + Peers.NODES_MAX + " nodes, which is the most");
  }

  /**
   * A number that no node has had, as far as this node knows. A node with a higher number, known only to others, is refused by this node, and asks
   * again.
   */
  private int nextNode() {
    long had = member.lost() | member.leaving().retired() | 1L << member.self();
    for (Peer peer : peers.all()) {
      had |= 1L << peer.id;
    }
    return Long.SIZE - Long.numberOfLeadingZeros(had);
  }

  /** Admits a node; its connection is made next. */
  public Peer admit(String name, Hello hello) {
    Peer peer = peers.add(hello.node() < 0 ? nextNode() : hello.node(), name);
    peer.isNew = hello.node() < 0;
    peer.knows(hello);
    return peer;
  }

  /** A connection is made; {@code hello} is the greeting of the other side, null if the other side has asked. */
  public void onConnected(Peer peer, Hello hello) {
    if (peer.isLost) {
      return;
    }
    if (hello != null) { // This side has asked.
      onAnswered(peer);
      peer.knows(hello);
      if (member.self() < 0) {
        if (hello.node() < 0 || hello.assigned() <= hello.node() || hello.assigned() >= Peers.NODES_MAX) {
          peers.lose(peer);
          fail("node " + peer.name + ", which says that it is number " + hello.node() + ", gave this one number " + hello.assigned(), false);
          return;
        }
        peers.renumber(peer, hello.node());
        registrar = peer;
        member.is(hello.assigned());
      }
    }
    peers.ready(peer);
    member.known().freed().onConnected(peer.id);
    if (!peer.isNew) { // The node that assigned its number waits until it has joined.
      member.joined(peer.id);
    }
    member.connected(peer.id);
    member.leaving().tell(peer.id);
    member.group().tell(peer);
    if (parts.settings().placement() == HomePlacement.DYNAMIC) {
      member.succession().onConnected(peer.id, member.leaving().retired() & ~member.lost());
    }
    if (peer.isNew) {
      for (Peer other : peers.all()) {
        if (other.id < peer.id && !other.isLost) {
          peers.send(peer.id, new DsmMessage.Member(other.id, other.name));
        }
      }
    }
    member.known().tellAll(peer.id); // The first node may have left, and the node that has the list now did not know the new node.
    if (peer.isNew) {
      peers.send(peer.id, new DsmMessage.MembersEnd(0));
    }
    look();
    peers.hearEarly(peer);
  }

  /** The other side refuses this node; returns whether it, or another node, should be asked again. */
  public boolean onDenied(Peer peer, Denial denial) {
    boolean isToBeAsked = !peer.isLost && member.self() < 0 && (denial.kind() == Denial.Kind.ASK || denial.kind() == Denial.Kind.LATER);
    if (isToBeAsked) {
      candidates.hint(denial.text());
    } else if (!peer.isLost) {
      onAnswered(peer);
      fail("node " + peer.name + " does not let this node into shared memory " + parts.space() + ": " + denial.text(), denial.kind() == Denial.Kind.LOST);
    }
    peers.lose(peer);
    return isToBeAsked;
  }

  /** A node is lost; returns whether this node therefore cannot become a member. */
  boolean onLost(Peer peer, String what) {
    if (isMember || peer != registrar) {
      return false;
    }
    fail(what, true);
    return true;
  }

  /** The other side is not there; returns whether it should be asked again. */
  public boolean onAbsent(Peer peer) {
    if (!peer.isLost && !peer.isAsked) {
      member.onFailed(peer, "it has asked to be let in, and did not start in time"); // Other nodes must not wait for it.
    }
    boolean isToBeAsked = !peer.isLost;
    peers.lose(peer);
    return isToBeAsked;
  }

  public void askAgain(int id, String name) {
    if (member.self() < 0) {
      if (problem == null) {
        ask(0, candidates.next());
      }
    } else if ((member.lost() & 1L << id) != 0) { // Another node has reported its loss meanwhile.
      connecting--;
      look();
    } else if (!isMember && problem == null) {
      ask(id, name);
    }
  }

  void onAnswered(Peer peer) {
    connecting -= peer.isAsked ? 1 : 0;
    peer.isAsked = false;
  }

  /** Checks whether all members are connected now. */
  void look() {
    if (!isFounder && !isMember && knowsAll && connecting == 0) {
      isMember = true;
      peers.send(registrar.id, new DsmMessage.Joined());
      waiting.forEach(this::welcome);
      waiting.clear();
    }
  }

  private void welcome(Wait.OfJoin wait) {
    wait.number = member.self();
    wait.end();
  }

  /** This node does not become a member; {@code again} if another attempt may succeed. */
  void fail(String why, boolean again) {
    problem = why;
    isToBeTriedAgain = again;
    waiting.forEach(this::refuse);
    waiting.clear();
  }

  private void refuse(Wait.OfJoin wait) {
    wait.isToBeTriedAgain = isToBeTriedAgain;
    wait.fail(problem, false);
  }

  public void onJoin(Wait.OfJoin wait) {
    if (problem != null) {
      refuse(wait);
    } else if (isMember) {
      welcome(wait);
    } else {
      waiting.add(wait);
    }
  }

  /** Whether the node has assigned this node's number, so it may name other members. */
  boolean isRegistrar(int node) {
    return registrar != null && node == registrar.id;
  }

  void onMember(int node, String name) {
    if (peers.get(node) == null) {
      connecting++;
      ask(node, name);
    }
  }

  void onMembersEnd() {
    for (int id = 0; id < member.self(); id++) {
      if (peers.get(id) == null) {
        member.loseUnknown(id); // It was lost before this node joined.
      }
    }
    member.succession().look();
    knowsAll = true;
    look();
  }
}
