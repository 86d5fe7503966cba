package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;

/** The home of one condition: who waits for it, in order. Bound: a thread waits once. */
public final class ConditionHome {
  private record Waiter(int node, int ticket) {}

  private final int object;
  private final Outbox outbox;
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();

  public ConditionHome(int object, Outbox outbox) {
    this.object = object;
    this.outbox = outbox;
  }

  /** A thread of a node waits; it gives its lock back when it knows that this has come. */
  public void onWait(int from, int ticket) {
    waiting.add(new Waiter(from, ticket));
    outbox.send(from, new DsmMessage.ConditionWaiting(object, ticket));
  }

  /** It does not wait any more. */
  public void onCancel(int from, int ticket) {
    waiting.remove(new Waiter(from, ticket));
  }

  /** Wakes one that waits, or all. */
  public void onSignal(boolean all) {
    for (Waiter next = waiting.poll(); next != null; next = all ? waiting.poll() : null) {
      outbox.send(next.node, new DsmMessage.ConditionWake(object, next.ticket));
    }
  }

  /** A node is there no more. */
  public void onNodeLost(int node) {
    waiting.removeIf(waiter -> waiter.node == node);
  }

  /** Threads that wait. */
  public int waiting() {
    return waiting.size();
  }
}
