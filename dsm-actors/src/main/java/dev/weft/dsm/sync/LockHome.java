package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.List;

/** The home of one lock: which node has it, which want it. Bound: a node waits at most once. */
public final class LockHome {
  private static final int NOBODY = -1;

  private final int object;
  private final Outbox outbox;
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private int holder = NOBODY;
  private boolean recalled;
  private boolean holderLost;
  /** It has taken the place of a lost one, and not all nodes have said yet whether they have the lock. */
  private boolean gathering;

  public LockHome(int object, Outbox outbox) {
    this.object = object;
    this.outbox = outbox;
  }

  /** Takes the place of a home that was lost. What is asked for waits until it is known who has the lock. */
  public static LockHome takeOver(int object, Outbox outbox) {
    LockHome home = new LockHome(object, outbox);
    home.gathering = true;
    return home;
  }

  /** A node says that it has the lock. */
  public void onHolds(int from) {
    if (gathering) {
      holder = from;
    }
  }

  /** All nodes have said what they have. If nobody has the lock, the home that was lost may have known of a holder that is lost, too. */
  public void onGathered() {
    if (gathering) {
      gathering = false;
      holderLost |= holder == NOBODY;
      next();
    }
  }

  /** A node wants it. */
  public void onRequest(int from) {
    waiting.add(from);
    next();
  }

  /** The node that had it gives it back. */
  public void onReturn(int from, boolean wantsAgain, boolean nobodyWasTold) {
    if (holder == from) {
      holder = NOBODY;
      holderLost |= nobodyWasTold;
      if (wantsAgain) {
        waiting.add(from);
      }
      next();
    }
  }

  private void next() {
    if (gathering) {
      return;
    }
    if (holder == NOBODY && !waiting.isEmpty()) {
      holder = waiting.poll();
      recalled = !waiting.isEmpty();
      outbox.send(holder, new DsmMessage.LockGrant(object, recalled, holderLost));
      holderLost = false;
    } else if (holder != NOBODY && !recalled && !waiting.isEmpty()) {
      recalled = true;
      outbox.send(holder, new DsmMessage.LockRecall(object));
    }
  }

  /** A node is there no more. */
  public void onNodeLost(int node) {
    waiting.removeIf(waits -> waits == node);
    if (holder == node) {
      holder = NOBODY;
      holderLost = true;
      next();
    }
  }

  /** The node that has it; -1 for none. */
  public int holder() {
    return holder;
  }

  /** Whether the node that had it was lost, and nobody was told so yet. */
  public boolean isHolderLost() {
    return holderLost;
  }

  /** Nodes that wait for it, in their order. */
  public List<Integer> waitingNodes() {
    return List.copyOf(waiting);
  }

  /** Nodes that wait for it. */
  public int waiting() {
    return waiting.size();
  }
}
