package dev.weft.dsm.member;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.net.Denial;
import dev.weft.dsm.net.LostNotice;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.verbs.VerbsException;
import java.util.function.Consumer;

/**
 * Nodes that this node has taken for lost while the fabric still lists them. If they live, there would be two memories. So this node notifies each of
 * them until it answers or the fabric has lost it. The notified node decides which of the two ends: {@link LostNotice#isToEnd}. A killed node
 * notifies no other node, so a node that is alone because the others were killed goes on. Used in the receive context. Bound: one attempt for each
 * lost node.
 */
public final class PresumedLostPeers {
  /** After this delay, other nodes have lost the same node, or this one, so the sides are known. */
  public static final long FIRST_NS = 200_000_000L;
  public static final long AGAIN_NS = 1_000_000_000L;

  /** Schedules a call of {@link #tell} after {@code delayNs} nanoseconds. */
  @FunctionalInterface
  public interface Later {
    void tell(long delayNs, Peer lost);
  }

  /** An attempt to notify a node. */
  private record Attempt(Peer lost, QueuePairChannel channel) {}

  private final DsmParts parts;
  private final DsmMember member;
  private final ConnectionOptions options;
  private final Later later;
  private final Consumer<String> onEnd;

  /** @param onEnd called with the reason why this node must end */
  public PresumedLostPeers(DsmParts parts, DsmMember member, ConnectionOptions options, Later later, Consumer<String> onEnd) {
    this.parts = parts;
    this.member = member;
    this.options = options;
    this.later = later;
    this.onEnd = onEnd;
  }

  /** This node takes another one for lost. */
  public void onLost(Peer peer) {
    if (peer.rkey != 0 || peer.frames != 0) { // Otherwise it has never been connected.
      later.tell(FIRST_NS, peer);
    }
  }

  /** Notifies the node, unless the fabric has lost it, too. */
  public void tell(Peer lost, ActorRef<ConnectionEvent> events) {
    if (parts.node().directory().lookup(lost.name).isEmpty()) {
      return;
    }
    QueuePairChannel channel = null;
    try {
      channel = member.peers().openChannel();
      LostNotice notice = new LostNotice(lost.id, lost.frames, lost.rkey, member.self(), side());
      parts.node().cm().connect(lost.name, parts.service(), channel.qp(), options, notice.encode(), events, new Attempt(lost, channel));
    } catch (VerbsException refused) {
      if (channel != null) {
        channel.close();
      }
      if (refused.errno() != VerbsException.Errno.ENODEV) { // Otherwise this node is closed and need not notify others.
        later.tell(AGAIN_NS, lost);
      }
    }
  }

  private long side() {
    return member.others() | 1L << member.self();
  }

  /** Handles an event of such an attempt; returns false for other events. */
  public boolean onConnectionEvent(ConnectionEvent event) {
    if (!(event.context() instanceof Attempt attempt)) {
      return false;
    }
    if (event instanceof ConnectionEvent.Rejected rejected) {
      attempt.channel.close();
      Denial answer = Denial.decode(rejected.privateData());
      if (rejected.reason() == RejectReason.CONSUMER && answer.kind() == Denial.Kind.STAYS && LostNotice.isToEnd(side(), answer.side())) {
        end(attempt.lost);
      } else if (rejected.reason() == RejectReason.CONSUMER ? answer.kind() == Denial.Kind.STAYS
          : rejected.reason() == RejectReason.TIMEOUT || rejected.reason() == RejectReason.NO_RESOURCES) {
        later.tell(AGAIN_NS, attempt.lost);
      }
    } else if (event instanceof ConnectionEvent.Established established) { // No node accepts such a connection.
      established.connection().disconnect();
    } else {
      attempt.channel.close();
    }
    return true;
  }

  /** Another node may report that it has taken this one for lost; returns whether the request was such a notice. */
  public boolean onRequested(ConnectionRequest request) {
    LostNotice notice = LostNotice.decode(request.privateData());
    if (notice == null) {
      return false;
    }
    Peer from = member.peers().get(notice.from());
    if (member.self() < 0 || notice.lost() != member.self() || notice.frames() != parts.region().addr() || notice.rkey() != parts.region().rkey()
        || from == null || !from.name.equals(request.peerNode())) {
      request.reject(Denial.no("that is another node").encode());
      return true;
    }
    member.onFailed(from, "it has taken this node for lost");
    if (LostNotice.isToEnd(side(), notice.side())) {
      request.reject(Denial.no("it ends").encode());
      end(from);
    } else {
      request.reject(Denial.stays(side()).encode());
    }
    return true;
  }

  private void end(Peer other) {
    onEnd.accept("node " + parts.node().name() + " is out of shared memory " + parts.space() + ": others, node " + other.name
        + " among them, have declared it lost and go on without it; join again as a new node");
  }
}
