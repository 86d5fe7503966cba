package dev.weft.dsm.node;

import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.HomePlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * How a node becomes a member, and how others do by it: numbers, greetings, who is told of whom. The lowest node that lives gives numbers, as it gives
 * them to objects. A node that joins asks whom it knows ({@link Candidates}), and is told who that is. Used in the receive context.
 */
final class Joining {
  private final DsmParts parts;
  private final BiConsumer<Peer, Hello> connector;
  private final Peers peers;
  private final DsmMember member;
  private final boolean isFounder;
  private final Candidates candidates;
  private final List<Waits.OfJoin> waiting = new ArrayList<>();
  /** Who has given this node its number; null at the first node, and until then. */
  private Peer registrar;
  private int connecting;
  private boolean knowsAll;
  private boolean isMember;
  private String problem;
  private boolean isToBeTriedAgain;

  /** @param connector connects a new peer and says what this node is */
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

  /** Bits of the nodes below the one that has given this node its number: they look after nothing any more. */
  long gone() {
    return registrar == null ? 0 : (1L << registrar.id) - 1;
  }

  /** Whether that one has told of all that there are. */
  boolean knowsAll() {
    return knowsAll;
  }

  /** Starts the space, or asks to be let in. */
  void begin() {
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

  /** Why a node is not let in; null if it is. */
  Denial problemOf(Hello hello) {
    if (hello == null) {
      return Denial.no("that was no greeting of this version");
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
      return Denial.later(); // Others say what they know first: who has been here, and which objects there are.
    }
    return nextNode() < Peers.NODES_MAX ? null : Denial.no(parts.space() + " has had " + Peers.NODES_MAX + " nodes, which is the most");
  }

  /** A number that nobody has had, as far as is known here. Who had a higher one and is known to others only is refused by this node, and asks again. */
  private int nextNode() {
    long had = member.lost() | member.leaving().retired() | 1L << member.self();
    for (Peer peer : peers.all()) {
      had |= 1L << peer.id;
    }
    return Long.SIZE - Long.numberOfLeadingZeros(had);
  }

  /** Lets a node in; the connection is made next. */
  Peer admit(String name, Hello hello) {
    Peer peer = peers.add(hello.node() < 0 ? nextNode() : hello.node(), name);
    peer.isNew = hello.node() < 0;
    peer.knows(hello);
    return peer;
  }

  /** {@code hello} is what the other side gave; null where this side was asked. */
  void onConnected(Peer peer, Hello hello) {
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
    if (!peer.isNew) { // Who has given it its number waits until it has joined.
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
    member.known().tellAll(peer.id); // The first node may have left, and who has the list now did not know of that one.
    if (peer.isNew) {
      peers.send(peer.id, new DsmMessage.MembersEnd(0));
    }
    look();
    peers.hearEarly(peer);
  }

  /** The other side does not want this node; whether it, or another one, should be asked again. */
  boolean onDenied(Peer peer, Denial denial) {
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

  /** A node is lost; whether this one cannot become a member because of that. */
  boolean onLost(Peer peer, String what) {
    if (isMember || peer != registrar) {
      return false;
    }
    fail(what, true);
    return true;
  }

  /** The other side is not there; whether it should be asked again. */
  boolean onAbsent(Peer peer) {
    if (!peer.isLost && !peer.isAsked) {
      member.onFailed(peer, "it has asked to be let in, and did not come"); // Others must not wait for it.
    }
    boolean isToBeAsked = !peer.isLost;
    peers.lose(peer);
    return isToBeAsked;
  }

  void askAgain(int id, String name) {
    if (member.self() < 0) {
      if (problem == null) {
        ask(0, candidates.next());
      }
    } else if ((member.lost() & 1L << id) != 0) { // Somebody has told this meanwhile.
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

  /** Whether all have been connected now. */
  void look() {
    if (!isFounder && !isMember && knowsAll && connecting == 0) {
      isMember = true;
      peers.send(registrar.id, new DsmMessage.Joined());
      waiting.forEach(this::welcome);
      waiting.clear();
    }
  }

  private void welcome(Waits.OfJoin wait) {
    wait.number = member.self();
    wait.end();
  }

  /** This node does not become a member; {@code again} if another attempt may go well. */
  void fail(String why, boolean again) {
    problem = why;
    isToBeTriedAgain = again;
    waiting.forEach(this::refuse);
    waiting.clear();
  }

  private void refuse(Waits.OfJoin wait) {
    wait.isToBeTriedAgain = isToBeTriedAgain;
    wait.fail(problem, false);
  }

  void onJoin(Waits.OfJoin wait) {
    if (problem != null) {
      refuse(wait);
    } else if (isMember) {
      welcome(wait);
    } else {
      waiting.add(wait);
    }
  }

  /** What the one says that has given this node its number, and nobody else may; false if it is none of that. */
  boolean onMessage(int from, DsmMessage message) {
    if (registrar == null || from != registrar.id) {
      return false;
    }
    switch (message) {
      case DsmMessage.Member m -> onMember(m.node(), m.name());
      case DsmMessage.MembersEnd m -> onMembersEnd();
      default -> {
        return false;
      }
    }
    return true;
  }

  private void onMember(int node, String name) {
    if (peers.get(node) == null) {
      connecting++;
      ask(node, name);
    }
  }

  private void onMembersEnd() {
    for (int id = 0; id < member.self(); id++) {
      if (peers.get(id) == null) {
        member.loseUnknown(id); // It was lost before this node came.
      }
    }
    member.succession().look();
    knowsAll = true;
    look();
  }
}
