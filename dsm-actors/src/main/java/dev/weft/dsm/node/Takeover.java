package dev.weft.dsm.node;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * What follows when a node is lost that was the home of something, or retires before it leaves. Each other node says so to each ({@link
 * DsmMessage.NodeGone}, {@link DsmMessage.Retires}), behind all that it
 * has sent. When a node has heard that from all, what the lost home had ordered is over, and the rights that it has are those that it keeps. It tells
 * the homes that take over ({@link DsmMessage.Holds}), and then everybody that this was all. A home that has heard that from all knows who has what,
 * and begins to serve.
 *
 * <p>Used in the receive context. Bound: a lost node is one entry.
 */
final class Takeover {
  private static final class Loss {
    /** Bits of the nodes that have not said yet that they know, and that have not said yet what they have. */
    long unaware;
    long silent;
    /** Bits of those that were told. */
    long told;
    boolean isReported;
    /** What tells others of it. */
    DsmMessage marker;
  }

  private final int self;
  private final Outbox outbox;
  private final IntPredicate isSettled;
  private final IntConsumer report;
  private final Runnable gathered;
  private final Map<Integer, Loss> losses = new LinkedHashMap<>();

  /**
   * @param isSettled whether nothing that this lost node had ordered is under way at this node by itself
   * @param report tells the new homes what this node has of what this lost node was the home of; what threads want may be asked for after it
   * @param gathered told when the homes of this node know who has what
   */
  Takeover(int self, Outbox outbox, IntPredicate isSettled, IntConsumer report, Runnable gathered) {
    this.self = self;
    this.outbox = outbox;
    this.isSettled = isSettled;
    this.report = report;
    this.gathered = gathered;
  }

  /**
   * A node is lost; {@code others} are those that are left. Where it had retired its homes have moved or do so now, and others are told only.
   *
   * @return whether homes move now
   */
  boolean begin(int node, long others) {
    boolean isNew = !losses.containsKey(node);
    DsmMessage marker = new DsmMessage.NodeGone(node);
    if (losses.containsKey(node)) {
      losses.get(node).marker = marker;
      tell(others, marker);
    } else {
      begin(node, others, marker);
    }
    left(node);
    return isNew;
  }

  /** A node is about to leave, and the home of nothing any more. It takes part; {@code others} has it, or those are all others where it is this one. */
  void retire(int node, long others) {
    begin(node, others, new DsmMessage.Retires(node));
  }

  private void begin(int node, long others, DsmMessage marker) {
    if (losses.containsKey(node)) {
      return;
    }
    Loss loss = new Loss();
    loss.marker = marker;
    loss.unaware = others;
    loss.silent = others | 1L << self; // What this node has comes to its homes as what others have does.
    loss.told = others;
    losses.put(node, loss);
    tell(others, marker);
  }

  /**
   * A node has been connected, and says what it has to say about nodes that are lost: until then it may not know of them. It is told of those that it has
   * not been told of.
   *
   * @param known bits of the nodes of which it has just been told that they are about to leave
   */
  void onConnected(int node, long known) {
    long bit = 1L << node;
    losses.forEach((lost, loss) -> {
      if (lost != node && (loss.told & bit) == 0) {
        loss.told |= bit;
        loss.unaware |= bit;
        if ((known & 1L << lost) == 0) {
          outbox.send(node, new DsmMessage.NodeGone(lost));
        }
        if (loss.isReported) {
          outbox.send(node, new DsmMessage.HoldsEnd(lost));
        }
      }
    });
  }

  /** Nobody waits for a node any more. */
  void left(int node) {
    losses.values().forEach(each -> {
      each.unaware &= ~(1L << node);
      each.silent &= ~(1L << node);
    });
  }

  private void tell(long nodes, DsmMessage message) {
    for (long left = nodes; left != 0; left &= left - 1) {
      outbox.send(Long.numberOfTrailingZeros(left), message);
    }
  }

  /** Another node knows of a loss that this one knows of. */
  void onGone(int node, int from) {
    Loss loss = losses.get(node);
    if (loss == null) {
      return; // This node has left, and waits only for the others to end their connections.
    }
    long bit = 1L << from;
    loss.unaware &= ~bit;
    if ((loss.told & bit) == 0) { // It has come since; it had nothing by that node, and waits for this.
      loss.told |= bit;
      outbox.send(from, loss.marker);
      if (loss.isReported) {
        outbox.send(from, new DsmMessage.HoldsEnd(node));
      }
    }
    look();
  }

  /** Another node has said what it has. */
  void onEnd(int node, int from) {
    Loss loss = losses.get(node);
    if (loss != null) {
      loss.silent &= ~(1L << from);
      look();
    }
  }

  /** Whether all have said what they have, of all nodes that are lost. */
  boolean isOver() {
    return losses.values().stream().allMatch(loss -> loss.isReported && loss.silent == 0);
  }

  /** Goes on where nothing is waited for any more. */
  void look() {
    boolean isAll = true;
    for (Map.Entry<Integer, Loss> each : losses.entrySet()) {
      Loss loss = each.getValue();
      if (!loss.isReported && loss.unaware == 0 && isSettled.test(each.getKey())) {
        loss.isReported = true;
        report.accept(each.getKey());
        tell(loss.told | 1L << self, new DsmMessage.HoldsEnd(each.getKey()));
      }
      isAll &= loss.isReported && loss.silent == 0;
    }
    if (isAll) {
      gathered.run();
    }
  }

  /** Appends what is waited for, for checkers. */
  void appendState(StringBuilder to) {
    losses.forEach((node, loss) -> to.append('T').append(node).append(',').append(loss.unaware).append(',').append(loss.silent).append(',').append(loss.told)
        .append(loss.isReported ? 'r' : '-'));
  }

  /** Bits of the nodes that have not said yet that they know of all that this one knows to be lost. */
  long unaware() {
    long all = 0;
    for (Loss loss : losses.values()) {
      all |= loss.unaware;
    }
    return all;
  }

  /** Bits of the lost nodes of which this one has not said yet what it has. */
  long unreported() {
    long all = 0;
    for (Map.Entry<Integer, Loss> each : losses.entrySet()) {
      all |= each.getValue().isReported ? 0 : 1L << each.getKey();
    }
    return all;
  }
}
