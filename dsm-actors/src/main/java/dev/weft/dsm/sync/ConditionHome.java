package dev.weft.dsm.sync;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;

/** The home of one condition: the waiting threads in order. Bound: a thread waits once. */
public final class ConditionHome {
  private record Waiter(int node, int ticket) {}

  private final int object;
  private final Outbox outbox;
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();

  /** This home replaces one that leaves, and not all nodes have reported their waiting threads yet; signals wait. */
  private boolean gathering;
  private int signals;
  private boolean signalsAll;

  public ConditionHome(int object, Outbox outbox) {
    this.object = object;
    this.outbox = outbox;
  }

  /** Takes the place of a home that leaves. */
  public static ConditionHome takeOver(int object, Outbox outbox) {
    ConditionHome home = new ConditionHome(object, outbox);
    home.gathering = true;
    return home;
  }

  /** All nodes have reported their waiting threads. */
  public void onGathered() {
    gathering = false;
    for (; signals > 0; signals--) {
      onSignal(signalsAll);
    }
  }

  /** A thread of a node waits. It releases its lock when it learns that the home has recorded this. */
  public void onWait(int from, int ticket) {
    Waiter waiter = new Waiter(from, ticket);
    if (!waiting.contains(waiter)) { // Otherwise the node has repeated it, because homes moved.
      waiting.add(waiter);
    }
    outbox.send(from, new DsmMessage.ConditionWaiting(object, ticket));
  }

  /** The thread no longer waits. */
  public void onCancel(int from, int ticket) {
    waiting.remove(new Waiter(from, ticket));
  }

  /** Wakes one waiting thread, or all. */
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

  /** A node is lost or has left. */
  public void onNodeLost(int node) {
    waiting.removeIf(waiter -> waiter.node == node);
  }

  /** Number of waiting threads. */
  public int waiting() {
    return waiting.size();
  }
}
