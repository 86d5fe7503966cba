package dev.weft.dsm.release;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Holds back what must not be known before all copies have the earlier changes: messages by which locks leave this node or threads reach barriers.
 * Later messages wait, too, so that all stay in order. Exceptions are messages of homes, and that a node is lost or leaves.
 *
 * <p>Bound: a message for each thread and each lock of the node.
 */
final class Held implements Outbox {
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static final class Entry {
    final Runnable then;
    /** The pass that finds all earlier changes; 0 if the entry waits for none. */
    final long pass;
    /** The last batch of that pass. */
    long seq;

    Entry(Runnable then, long pass) {
      this.then = then;
      this.pass = pass;
      seq = pass == 0 ? 0 : UNKNOWN;
    }
  }

  private final Outbox outbox;
  private final LongSupplier pass;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();

  /** @param pass begins a pass that finds all changes so far; returns its number, or 0 if no changes are on their way */
  Held(Outbox outbox, LongSupplier pass) {
    this.outbox = outbox;
    this.pass = pass;
  }

  @Override
  public void send(int node, DsmMessage message) {
    boolean isRelease = message instanceof DsmMessage.LockReturn || message instanceof DsmMessage.BarrierArrive
        || message instanceof DsmMessage.HoldsEnd;
    if (isRelease) {
      add(() -> outbox.send(node, message));
    } else if (entries.isEmpty() || isOfHome(message) || isOfMembers(message)) {
      outbox.send(node, message);
    } else {
      entries.add(new Entry(() -> outbox.send(node, message), 0));
    }
  }

  /** Whether a home of a lock, barrier or condition sends the message; such a message is no release of this node. */
  private static boolean isOfHome(DsmMessage message) {
    return message instanceof DsmMessage.LockGrant || message instanceof DsmMessage.LockRecall || message instanceof DsmMessage.BarrierRelease
        || message instanceof DsmMessage.BarrierBroken || message instanceof DsmMessage.ConditionWaiting
        || message instanceof DsmMessage.ConditionWake;
  }

  /** Whether the message says that a node is lost or leaves. Later requests of this node must not overtake it, because they would be void. */
  private static boolean isOfMembers(DsmMessage message) {
    return message instanceof DsmMessage.NodeGone || message instanceof DsmMessage.Retires;
  }

  /** Runs {@code then} when all copies have the changes so far. */
  void add(Runnable then) {
    long wanted = pass.getAsLong();
    if (wanted == 0 && entries.isEmpty()) {
      then.run();
    } else {
      entries.add(new Entry(then, wanted));
    }
  }

  /** All changes before that pass are in batches up to {@code seq}. */
  void onPassDone(long done, long seq) {
    for (Entry entry : entries) {
      if (entry.pass == done) {
        entry.seq = seq;
      }
    }
  }

  /** All batches up to {@code seq} have reached their receivers. */
  void onDone(long seq) {
    while (!entries.isEmpty() && entries.peek().seq <= seq) {
      entries.poll().then.run();
    }
  }

  int size() {
    return entries.size();
  }
}
