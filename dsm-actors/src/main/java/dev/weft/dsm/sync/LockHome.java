package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;

/** The home of one lock: which node has it, which want it. Bound: a node waits at most once. */
public final class LockHome {
  private static final int NOBODY = -1;

  private final int object;
  private final Outbox outbox;
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private int holder = NOBODY;
  private boolean recalled;
  private boolean holderLost;

  public LockHome(int object, Outbox outbox) {
    this.object = object;
    this.outbox = outbox;
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

  /** Nodes that wait for it. */
  public int waiting() {
    return waiting.size();
  }
}
