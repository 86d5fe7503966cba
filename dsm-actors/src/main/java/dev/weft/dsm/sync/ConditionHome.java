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

  /** It has taken the place of one that has retired, and not all nodes have said yet who waits; signals wait. */
  private boolean gathering;
  private int signals;
  private boolean signalsAll;

  public ConditionHome(int object, Outbox outbox) {
    this.object = object;
    this.outbox = outbox;
  }

  /** Takes the place of a home that has retired. */
  public static ConditionHome takeOver(int object, Outbox outbox) {
    ConditionHome home = new ConditionHome(object, outbox);
    home.gathering = true;
    return home;
  }

  /** All nodes have said who waits. */
  public void onGathered() {
    gathering = false;
    for (; signals > 0; signals--) {
      onSignal(signalsAll);
    }
  }

  /** A thread of a node waits; it gives its lock back when it knows that this has come. */
  public void onWait(int from, int ticket) {
    Waiter waiter = new Waiter(from, ticket);
    if (!waiting.contains(waiter)) { // Otherwise it was told again, because homes moved.
      waiting.add(waiter);
    }
    outbox.send(from, new DsmMessage.ConditionWaiting(object, ticket));
  }

  /** It does not wait any more. */
  public void onCancel(int from, int ticket) {
    waiting.remove(new Waiter(from, ticket));
  }

  /** Wakes one that waits, or all. */
  public void onSignal(boolean all) {
    if (gathering) {
      signals++;
      signalsAll |= all;
      return;
    }
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
