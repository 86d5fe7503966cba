package dev.weft.dsm.member;

import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes that leave, and the departure of this node ({@link Departure}). Used in the receive context. */
public final class Leaving {
  private static final Logger LOG = LoggerFactory.getLogger(Leaving.class);
  /** Time for a thread whose wait has just ended to release its lock. */
  private static final long LOCKS_GRACE_NS = 100_000_000;

  private final DsmParts parts;
  private final Peers peers;
  private final DsmMember member;
  /** Bits of the nodes that are the home of nothing any more, because they are about to leave, or have left. */
  private long retired;
  /** Threads that want this node to leave; each waits once. */
  private final List<Wait.OfLeave> waits = new ArrayList<>();
  private Departure departure;
  /** Whether locks are taken from threads that do not release them. */
  private boolean isInAnyCase;
  private long abandonsAtNs = NodeCore.NEVER;
  private boolean hasAbandoned;
  private boolean isGoing;

  Leaving(DsmParts parts, Peers peers, DsmMember member) {
    this.parts = parts;
    this.peers = peers;
    this.member = member;
  }

  long retired() {
    return retired;
  }

  boolean isRetired(int node) {
    return (retired & 1L << node) != 0;
  }

  /** Whether this node is about to leave. */
  boolean isLeaving() {
    return departure != null || isClosing();
  }

  /** Whether this node lets no node lock entries of the synchronous engine any more, and waits for those that have locked one. */
  private boolean isClosing() {
    return member.direct() != null && member.direct().homes().isClosing();
  }

  /** Whether this node has announced that it has left, and waits only until the others end their connections. */
  boolean isGoing() {
    return isGoing;
  }

  String why() {
    return "node " + parts.node().name() + " has left shared memory " + parts.space();
  }

  // This node.

  /** A thread wants this node to leave. */
  public void onLeave(Wait.OfLeave leave) {
    isInAnyCase |= leave.isInAnyCase;
    if (leave.isAtOnce) {
      leaveAtOnce(leave);
    } else if (isLeaving()) {
      waits.add(leave); // Another thread wants the same.
      if (isGoing) {
        onPeerGone();
      }
    } else if (!member.joining().isMember() || staying() == 0) {
      leaveAtOnce(leave); // No node is left to give minipages to.
    } else if (member.release().hasArrays() && !leave.isInAnyCase) {
      leave.fail("there are arrays with release consistency, whose copies a node that leaves does not give away; free them first. close() goes all the same",
          false);
    } else {
      List<String> held = member.sync().held();
      if (held.isEmpty() || leave.isInAnyCase) {
        waits.add(leave);
        if (member.direct() == null) {
          retire();
        } else {
          member.direct().homes().close(why());
          look();
        }
      } else {
        leave.fail("threads of node " + parts.node().name() + " have the locks " + held + "; release them first", false);
      }
    }
  }

  private void leaveAtOnce(Wait.OfLeave leave) {
    leave.left = departure != null ? departure.left() : isClosing() ? held().length : 0;
    for (Peer peer : peers.all()) {
      peers.send(peer.id, new DsmMessage.Leaving());
    }
    member.endThreads(why()); // Before the others end their connections.
    leave.end();
  }

  private void retire() {
    departure = new Departure(peers, member.minipages()::homeOf, this::held, this::hasLocks, this::go);
    member.core().endFaults(why());
    member.sync().end(why());
    member.known().end(why());
    retire(member.self());
    member.homes().retire();
    member.succession().look();
  }

  /** Counts locks that are on their way to their homes. */
  private boolean hasLocks() {
    return member.sync().here() > 0 || member.release().isHolding();
  }

  private int[] held() {
    return member.known().arrays().stream().flatMapToInt(spec -> IntStream.range(spec.firstMinipage(), spec.firstMinipage() + spec.minipages()))
        .filter(minipage -> member.direct() != null || member.core().hasOrAwaits(minipage)).toArray();
  }

  /** All homes know the holders of their minipages. */
  void onGathered() {
    if (departure != null) {
      member.sync().giveBackLocks();
      departure.onGathered();
    }
  }

  /** Homes move, because a node is lost or leaves. */
  void onHomesMove() {
    if (departure != null) {
      departure.onHomesMove();
      if (staying() == 0) {
        go();
      }
    }
  }

  void onSafe(DsmMessage.Safe safe) {
    if (departure != null) {
      departure.onSafe(safe);
    }
  }

  /** Checks whether there is something to do. */
  public void look() {
    if (departure == null && isClosing() && member.direct().homes().isClosed()) {
      retire();
    } else if (departure != null && !isGoing) {
      departure.look();
      if (isInAnyCase && departure.waitsForLocksOnly()) {
        abandonLocks();
      }
    }
  }

  /** Other nodes have all minipages, so later stores under a lock have no effect. A thread with a lock therefore gets only a moment to finish. */
  private void abandonLocks() {
    long nowNs = member.nowNs();
    if (abandonsAtNs == NodeCore.NEVER) {
      abandonsAtNs = nowNs + LOCKS_GRACE_NS;
    } else if (nowNs - abandonsAtNs >= 0 && !hasAbandoned) {
      hasAbandoned = true;
      LOG.info("node {} leaves shared memory {} with locks that its threads have: {}", parts.node().name(), parts.space(), member.sync().held());
      member.sync().abandonLocks();
      departure.look();
    }
  }

  /** When {@link #look} should be called; {@link NodeCore#NEVER} if there is no need. */
  long lookAtNs() {
    return departure == null || hasAbandoned || !departure.waitsForLocksOnly() ? NodeCore.NEVER : abandonsAtNs;
  }

  private void go() {
    if (!isGoing) {
      isGoing = true;
      for (PageTable table : parts.access().tables()) { // A readable copy that is still here would not be invalidated any more.
        parts.access().remove(table.spec().id(), why());
      }
      for (Peer peer : peers.all()) {
        peers.send(peer.id, new DsmMessage.Left());
      }
      onPeerGone();
    }
  }

  /** Another node has ended its connection to this one, which has left. */
  void onPeerGone() {
    if (member.others() == 0) {
      waits.forEach(Wait::end);
      waits.clear();
    }
  }

  /** Bits of the other live nodes that are not about to leave. */
  private long staying() {
    return member.others() & ~retired;
  }

  // Any node.

  /** Another node reports that a node, possibly itself, is about to leave. */
  void onRetires(int node, int from) {
    if (node < 0 || node >= Peers.NODES_MAX || node == member.self() && departure == null) {
      throw new IllegalArgumentException("that cannot retire");
    }
    if ((member.lost() & 1L << node) == 0 && !isRetired(node)) {
      retire(node);
    }
    member.succession().onGone(node, from);
  }

  /** A leaving node asks that other nodes have minipages of this home. */
  void onEvacuate(DsmMessage.Evacuate message, int from) {
    if (!isRetired(from) || message.count() < 1 || message.count() > Departure.WINDOW) {
      throw new IllegalArgumentException("it has not retired, or asks for too much at once");
    }
    if (member.direct() == null) {
      member.homes().onEvacuate(message, from);
    } else {
      member.direct().homes().onEvacuate(message, from);
    }
  }

  private void retire(int node) {
    retired |= 1L << node;
    member.succession().retire(node, member.others());
    member.core().onNodeLost(node);
    member.sync().onRetire(node);
    onHomesMove();
  }

  /** Tells a node that has just been connected. */
  void tell(int node) {
    for (long left = retired & ~member.lost() & ~(1L << node); left != 0; left &= left - 1) {
      peers.send(node, new DsmMessage.Retires(Long.numberOfTrailingZeros(left)));
    }
    if (isGoing) {
      peers.send(node, new DsmMessage.Left()); // It connected after all others were told.
    }
  }

  /** Whether the message is an order that a home sent before it announced its departure; such orders are void. */
  boolean isVoid(int from, DsmMessage message) {
    return isRetired(from) && switch (message) {
      case DsmMessage.ForwardRead m -> true;
      case DsmMessage.ForwardWrite m -> true;
      case DsmMessage.Invalidate m -> true;
      case DsmMessage.Grant m -> true;
      case DsmMessage.Fetch m -> true;
      case DsmMessage.Ask m -> true;
      case DsmMessage.Lost m -> true;
      default -> false;
    };
  }
}
