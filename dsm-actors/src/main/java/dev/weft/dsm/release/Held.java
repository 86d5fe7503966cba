package dev.weft.dsm.release;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * What must not be known before all copies have what was written until then: messages by which locks leave this node and threads come to barriers. What
 * comes behind such a message waits, too, so that all stay in order; but for what homes say, and that a node is lost or retires.
 *
 * <p>Bound: a message for each thread and each lock of the node.
 */
final class Held implements Outbox {
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static final class Entry {
    final Runnable then;
    /** The pass that finds all that was written; 0 where nothing is waited for. */
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

  /** @param pass begins a pass that finds all that was written until now; answers its number, or 0 if nothing is on its way */
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

  /** What homes of locks, barriers and conditions say, which is no node's release. */
  private static boolean isOfHome(DsmMessage message) {
    return message instanceof DsmMessage.LockGrant || message instanceof DsmMessage.LockRecall || message instanceof DsmMessage.BarrierRelease
        || message instanceof DsmMessage.BarrierBroken || message instanceof DsmMessage.ConditionWaiting
        || message instanceof DsmMessage.ConditionWake;
  }

  /** That a node is lost, or retires: what this node asks for by itself from then on must not come before that, for it would be void. */
  private static boolean isOfMembers(DsmMessage message) {
    return message instanceof DsmMessage.NodeGone || message instanceof DsmMessage.Retires;
  }

  /** Runs {@code then} when all copies have what was written until now. */
  void add(Runnable then) {
    long wanted = pass.getAsLong();
    if (wanted == 0 && entries.isEmpty()) {
      then.run();
    } else {
      entries.add(new Entry(then, wanted));
    }
  }

  /** All that was written before that pass is in batches up to {@code seq}. */
  void onPassDone(long done, long seq) {
    for (Entry entry : entries) {
      if (entry.pass == done) {
        entry.seq = seq;
      }
    }
  }

  /** All batches up to that one are at their receivers. */
  void onDone(long seq) {
    while (!entries.isEmpty() && entries.peek().seq <= seq) {
      entries.poll().then.run();
    }
  }

  int size() {
    return entries.size();
  }
}
