package dev.weft.dsm.member;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * The steps after a home is lost, or announces its departure. Each other node announces the event to each other node ({@link DsmMessage.NodeGone},
 * {@link DsmMessage.Retires}), after all its earlier messages. When a node has these announcements from all, the orders of the lost home are
 * complete, and the node keeps the rights that it has. It reports them to the homes that take over ({@link DsmMessage.Holds}), then tells all nodes
 * that its report is complete ({@link DsmMessage.HoldsEnd}). A home with the complete reports of all nodes knows the holders, and begins to serve.
 *
 * <p>Used in the receive context. Bound: one entry for each lost node.
 */
public final class Takeover {
  private static final class Loss {
    /** Bits of the nodes that have not announced the event yet; bits of those whose reports are not complete. */
    long unaware;
    long silent;
    /** Bits of the nodes that were notified. */
    long told;
    boolean isReported;
    /** The message that announces it. */
    DsmMessage marker;
  }

  private final int self;
  private final Outbox outbox;
  private final IntPredicate isSettled;
  private final IntConsumer report;
  private final Runnable gathered;
  private final Map<Integer, Loss> losses = new LinkedHashMap<>();

  /**
   * @param isSettled whether no order of this lost node is still running at this node
   * @param report reports this node's rights to the new homes of the lost node's objects; threads may ask after it
   * @param gathered called when the homes of this node know the holders
   */
  public Takeover(int self, Outbox outbox, IntPredicate isSettled, IntConsumer report, Runnable gathered) {
    this.self = self;
    this.outbox = outbox;
    this.isSettled = isSettled;
    this.report = report;
    this.gathered = gathered;
  }

  /**
   * A node is lost; {@code others} are bits of the remaining nodes. If the node was leaving, its homes have moved or move now, and others are only
   * notified.
   *
   * @return whether homes move now
   */
  public boolean begin(int node, long others) {
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

  /**
   * A node is about to leave, and is the home of nothing any more. It takes part itself. {@code others} includes it, or is all other nodes if this
   * node leaves.
   */
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
    loss.silent = others | 1L << self; // This node reports to its own homes as other nodes do.
    loss.told = others;
    losses.put(node, loss);
    tell(others, marker);
  }

  /**
   * A node has been connected. It may not know all lost nodes until it announces them; it is notified of those that it was not told of.
   *
   * @param known bits of the nodes that it has just been told to be leaving
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

  /** A node has left: it is not waited for any more. */
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

  /** Another node knows of a loss that this node knows of. */
  public void onGone(int node, int from) {
    Loss loss = losses.get(node);
    if (loss == null) {
      return; // This node has left, and only waits until the others end their connections.
    }
    long bit = 1L << from;
    loss.unaware &= ~bit;
    if ((loss.told & bit) == 0) { // It joined later, has nothing of that home, and waits for this message.
      loss.told |= bit;
      outbox.send(from, loss.marker);
      if (loss.isReported) {
        outbox.send(from, new DsmMessage.HoldsEnd(node));
      }
    }
    look();
  }

  /** The report of another node is complete. */
  public void onEnd(int node, int from) {
    Loss loss = losses.get(node);
    if (loss != null) {
      loss.silent &= ~(1L << from);
      look();
    }
  }

  /** Whether the reports of all nodes, for all lost nodes, are complete. */
  boolean isOver() {
    return losses.values().stream().allMatch(loss -> loss.isReported && loss.silent == 0);
  }

  /** Continues where nothing more is waited for. */
  public void look() {
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

  /** Appends the state, for checkers. */
  public void appendState(StringBuilder to) {
    losses.forEach((node, loss) -> to.append('T').append(node).append(',').append(loss.unaware).append(',').append(loss.silent).append(',').append(loss.told)
        .append(loss.isReported ? 'r' : '-'));
  }

  /** Bits of the nodes that have not announced all losses that this node knows. */
  public long unaware() {
    long all = 0;
    for (Loss loss : losses.values()) {
      all |= loss.unaware;
    }
    return all;
  }

  /** Bits of the lost nodes that this node has not reported for yet. */
  public long unreported() {
    long all = 0;
    for (Map.Entry<Integer, Loss> each : losses.entrySet()) {
      all |= each.getValue().isReported ? 0 : 1L << each.getKey();
    }
    return all;
  }
}
