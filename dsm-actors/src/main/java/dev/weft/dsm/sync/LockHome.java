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
  /** The home before has retired, and has said all that it knew. */
  private boolean handedOver;
  /** The node that had it for that home; it says so itself, unless it is lost. */
  private int expected = NOBODY;
  private boolean retired;
  /** Whether the node that has it was told that one before was lost. */
  private boolean holderWasTold;

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

  /**
   * All nodes have said what they have. If nobody has the lock, the home that was lost may have known of a holder that is lost, too. One that has only
   * retired has named its holder: where that lives, it has given the lock back to that home meanwhile.
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
   * The home before says what it knew.
   *
   * @param isHolderLost whether a holder was lost of whom nobody was told
   * @param had the node that had the lock, -1 for none; behind all that this one had said to that home
   */
  public void onWasHome(boolean isHolderLost, int had) {
    handedOver = true;
    expected = had;
    holderLost |= isHolderLost;
  }

  /** This is not its home any more; nodes that want or have the lock tell the next one so. */
  public void retire() {
    retired = true;
    waiting.clear();
  }

  /** A node wants it; one that waits already waits once. */
  public void onRequest(int from) {
    if (retired || waiting.contains(from)) {
      return;
    }
    waiting.add(from);
    next();
  }

  /** The node that had it gives it back. */
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

  /** A node is there no more. */
  public void onNodeLost(int node) {
    waiting.removeIf(waits -> waits == node);
    if (holder == node || holder == NOBODY && expected == node) {
      holder = NOBODY;
      expected = NOBODY;
      holderLost = true;
      next();
    }
  }

  /** A node has left, and has given back what it had; or the lock was on its way to it. */
  public void onNodeLeft(int node) {
    waiting.removeIf(waits -> waits == node);
    if (holder == node) {
      holder = NOBODY;
      holderLost |= holderWasTold;
      next();
    }
  }

  /** The node that has it; -1 for none. */
  public int holder() {
    return holder;
  }

  /** For the next home: the node that has it, or that has not said yet whether it does. */
  public int handedOn() {
    return holder == NOBODY ? expected : holder;
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
