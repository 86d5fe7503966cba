package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.List;

/** The home of one lock: the node that has it, and the nodes that want it. Bound: a node waits at most once. */
public final class LockHome {
  private static final int NOBODY = -1;

  private final int object;
  private final Outbox outbox;
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private int holder = NOBODY;
  private boolean recalled;
  private boolean holderLost;
  /** This home replaces another one, and not all nodes have reported yet whether they have the lock. */
  private boolean gathering;
  /** The previous home left and reported its state. */
  private boolean handedOver;
  /** The node that had the lock at the previous home. That node reports it itself, unless it is lost. */
  private int expected = NOBODY;
  private boolean retired;
  /** Whether the present holder was told that an earlier holder was lost. */
  private boolean holderWasTold;

  public LockHome(int object, Outbox outbox) {
    this.object = object;
    this.outbox = outbox;
  }

  /** Takes the place of another home. Requests wait until all nodes have reported who has the lock. */
  public static LockHome takeOver(int object, Outbox outbox) {
    LockHome home = new LockHome(object, outbox);
    home.gathering = true;
    return home;
  }

  /** A node reports that it has the lock. */
  public void onHolds(int from) {
    if (gathering) {
      holder = from;
    }
  }

  /**
   * All nodes have reported. If no node has the lock, and the previous home was lost, a lost node may have been the holder. A home that left has
   * named its holder; if that node lives, it returned the lock to the previous home meanwhile.
   *
   * @param lost bits of the nodes that were lost, and have not left
   */
  public void onGathered(long lost) {
    if (gathering) {
      gathering = false;
      holderLost |= holder == NOBODY && (!handedOver || expected != NOBODY && (lost & 1L << expected) != 0);
      expected = NOBODY;
      next();
    }
  }

  /**
   * The previous home reports its state.
   *
   * @param isHolderLost whether a holder was lost and no thread was told
   * @param had the node that had the lock, -1 for none; sent after all messages of that node to the previous home
   */
  public void onWasHome(boolean isHolderLost, int had) {
    handedOver = true;
    expected = had;
    holderLost |= isHolderLost;
  }

  /** This node is no longer the home. Nodes that want or have the lock report to the next home. */
  public void retire() {
    retired = true;
    waiting.clear();
  }

  /** A node wants the lock. A second request of a waiting node is ignored. */
  public void onRequest(int from) {
    if (retired || waiting.contains(from)) {
      return;
    }
    waiting.add(from);
    next();
  }

  /** The holder returns the lock. */
  public void onReturn(int from, boolean wantsAgain, boolean nobodyWasTold) {
    if (retired) {
      holderLost |= nobodyWasTold;
      holder = holder == from ? NOBODY : holder;
    } else if (holder == from) {
      holder = NOBODY;
      holderLost |= nobodyWasTold;
      if (wantsAgain) {
        waiting.add(from);
      }
      next();
    }
  }

  private void next() {
    if (gathering || retired) {
      return;
    }
    if (holder == NOBODY && !waiting.isEmpty()) {
      holder = waiting.poll();
      recalled = !waiting.isEmpty();
      outbox.send(holder, new DsmMessage.LockGrant(object, recalled, holderLost));
      holderWasTold = holderLost;
      holderLost = false;
    } else if (holder != NOBODY && !recalled && !waiting.isEmpty()) {
      recalled = true;
      outbox.send(holder, new DsmMessage.LockRecall(object));
    }
  }

  /** A node is lost. */
  public void onNodeLost(int node) {
    waiting.removeIf(waits -> waits == node);
    if (holder == node || holder == NOBODY && expected == node) {
      holder = NOBODY;
      expected = NOBODY;
      holderLost = true;
      next();
    }
  }

  /** A node has left. It returned the locks that it had, but this lock may still have been on its way to it. */
  public void onNodeLeft(int node) {
    waiting.removeIf(waits -> waits == node);
    if (holder == node) {
      holder = NOBODY;
      holderLost |= holderWasTold;
      next();
    }
  }

  /** The node that has the lock; -1 for none. */
  public int holder() {
    return holder;
  }

  /** For the next home: the node that has the lock, or that has not reported yet whether it does. */
  public int handedOn() {
    return holder == NOBODY ? expected : holder;
  }

  /** Whether the last holder was lost and no thread has been told yet. */
  public boolean isHolderLost() {
    return holderLost;
  }

  /** Nodes that wait for the lock, in order. */
  public List<Integer> waitingNodes() {
    return List.copyOf(waiting);
  }

  /** Number of nodes that wait for the lock. */
  public int waiting() {
    return waiting.size();
  }
}
