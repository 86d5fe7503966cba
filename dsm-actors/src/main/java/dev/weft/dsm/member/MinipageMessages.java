package dev.weft.dsm.member;

import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;

/** Passes messages about minipages, and wishes for copies, to the home, the node or the engine that they concern. Used in the receive context. */
final class MinipageMessages {
  private final Peers peers;
  private final DsmMember member;
  /** Questions of homes about data of a node that is about to leave. */
  private final List<Runnable> asksOfLeaving = new ArrayList<>();

  MinipageMessages(Peers peers, DsmMember member) {
    this.peers = peers;
    this.member = member;
  }

  /** Threads of this node want copies that they will use, for this node or all nodes. */
  void prefetch(NodeCommand.Prefetch wanted) {
    if (member.leaving().isLeaving()) {
      return;
    }
    ObjectSpec spec = wanted.table().spec();
    for (int i = wanted.index(); i < wanted.index() + wanted.count(); i++) {
      int minipage = spec.firstMinipage() + i;
      if (!wanted.forAll()) {
        prefetch(minipage);
      } else if (member.direct() != null || spec.isReleaseConsistent()) {
        for (long left = member.members(); left != 0; left &= left - 1) {
          peers.hint(Long.numberOfTrailingZeros(left), new DsmMessage.Push(minipage));
        }
      } else if (member.known().knows(spec.id())) {
        peers.hint(member.homeOf(minipage), new DsmMessage.Push(minipage));
      }
    }
  }

  private void prefetch(int minipage) {
    if (member.release().has(minipage)) {
      member.release().prefetch(minipage);
    } else if (member.direct() == null) {
      member.core().prefetch(minipage);
    } else {
      member.direct().prefetch(minipage);
    }
  }

  /** Handles a message about a minipage. */
  void onMessage(int from, DsmMessage.OfMinipage message) {
    switch (message) {
      case DsmMessage.ReadRequest m -> member.moving().onRequest(m.minipage(), from, false, m.firstWord(), m.lastWord());
      case DsmMessage.WriteRequest m -> member.moving().onRequest(m.minipage(), from, true, m.firstWord(), m.lastWord());
      case DsmMessage.Invalidated m -> member.homes().onInvalidated(m.minipage(), m.op(), from);
      case DsmMessage.Confirm m -> member.homes().onConfirm(m.minipage(), m.op(), from);
      case DsmMessage.Push m -> {
        if (member.direct() == null && !member.release().has(m.minipage())) {
          member.moving().onPush(m.minipage(), from);
        } else {
          prefetch(m.minipage());
        }
      }
      case DsmMessage.ForwardRead m -> member.core().onForwardRead(m, from, member.nowNs());
      case DsmMessage.ForwardWrite m -> member.core().onForwardWrite(m, from, member.nowNs());
      case DsmMessage.Invalidate m -> member.core().onInvalidate(m, from, member.nowNs());
      case DsmMessage.Data m -> member.core().onData(m, m.home() < 0 ? member.minipages().homeOf(m.minipage()) : m.home(), from);
      case DsmMessage.Grant m -> member.core().onGrant(m, from);
      case DsmMessage.Fetch m -> peers.read(m.minipage(), m.op(), m.source());
      case DsmMessage.Ask m -> onAsk(m, from);
      case DsmMessage.Sought m -> onSought(m);
      case DsmMessage.HomeMoves m -> member.moving().onMoves(m);
      case DsmMessage.HomeIs m -> { } // MovingHomes.see has handled it.
      case DsmMessage.WasTaking m -> {
        DsmMember.require(member.direct() != null);
        member.direct().homes().onWasTaking(m, from);
      }
      case DsmMessage.Lost m -> member.core().onLost(m.minipage(),
          "the only copy of " + member.minipages().nameOf(m.minipage()) + " was on a node that is lost");
    }
  }

  /** The requester has joined, even if another node has learned that sooner. */
  private void onSought(DsmMessage.Sought sought) {
    int node = sought.requester();
    if (node < 0 || node >= Peers.NODES_MAX || sought.hops() < 0) {
      throw new IllegalArgumentException("its requester or its number of hops is invalid");
    }
    if (peers.get(node) != null && !peers.get(node).isLost) {
      member.joined(node);
    }
    member.moving().onSought(sought);
  }

  /** Late data of the lost node would overwrite later stores. */
  private void onAsk(DsmMessage.Ask ask, int home) {
    Peer source = peers.get(ask.source());
    if (source != null && !source.isLost && ask.source() != home) {
      if (member.leaving().isRetired(source.id)) {
        asksOfLeaving.add(() -> onAsk(ask, home)); // The news that it has left, or is lost, is on its way. Bound: one for each request of this node.
        return;
      }
      member.onFailed(source, "node " + peers.get(home).name + " has lost it");
    }
    member.core().onAsk(ask, home);
  }

  /** A node is lost or has left: answers the questions about its data again. */
  void askAgain() {
    List<Runnable> again = List.copyOf(asksOfLeaving);
    asksOfLeaving.clear();
    again.forEach(Runnable::run);
  }
}
