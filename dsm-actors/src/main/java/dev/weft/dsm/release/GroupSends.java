package dev.weft.dsm.release;

import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;

/**
 * Batches of this node that went to the group, with the nodes that have not answered yet. This node asks late receivers on their connections whether
 * they have the whole batch. A receiver that lacks a part gets the whole batch there. Used in the receive context.
 *
 * <p>Bound: a batch for each slot.
 */
final class GroupSends {
  static final long NEVER = Long.MAX_VALUE;

  private static final class Sent {
    final long seq;
    final long offset;
    final int bytes;
    /** Bits of the nodes that have got the batch only by the group. */
    long nodes;
    /** When this node asks them; {@link #NEVER} after it has asked. */
    long askAtNs;
    boolean isTimed;

    Sent(long seq, long offset, int bytes, long nodes) {
      this.seq = seq;
      this.offset = offset;
      this.bytes = bytes;
      this.nodes = nodes;
    }
  }

  private final int self;
  private final Staging staging;
  private final ReleasePort port;
  private final GroupPort group;
  private final MulticastSettings settings;
  private final ArrayDeque<Sent> sent = new ArrayDeque<>();
  private long listening;
  private long datagrams;
  private long batches;
  private long asked;
  private long repairs;

  GroupSends(int self, Staging staging, ReleasePort port, GroupPort group, MulticastSettings settings) {
    this.self = self;
    this.staging = staging;
    this.port = port;
    this.group = group;
    this.settings = settings;
  }

  /** A node receives from the group. */
  void onListens(int node) {
    listening |= 1L << node;
  }

  void onNodeLost(int node) {
    listening &= ~(1L << node);
  }

  /** The receivers that get a batch by the group; none if multicast is impossible or not worthwhile. */
  long byGroup(long receivers) {
    long nodes = receivers & listening;
    return Long.bitCount(nodes) >= settings.copiesMin() && cut() > 0 ? nodes : 0;
  }

  private int cut() {
    return Math.max(0, group.datagramBytes() - Part.HEADER_BYTES) & -8;
  }

  /** Sends a batch to those receivers that get it by the group; returns their bits. */
  long send(long seq, long offset, int bytes, long receivers) {
    long nodes = byGroup(receivers);
    if (nodes == 0) {
      return 0;
    }
    int cut = cut();
    for (int at = 0; at < bytes; at += cut) {
      group.send(new Part(0, self, seq, nodes, staging.slotOf(self, offset), bytes, cut, at), offset + at);
      datagrams++;
    }
    batches++;
    sent.add(new Sent(seq, offset, bytes, nodes));
    return nodes;
  }

  /** Whether an answer is missing. */
  boolean isPending() {
    dropDone();
    return !sent.isEmpty();
  }

  private void dropDone() {
    sent.removeIf(each -> staging.pending(each.seq) == 0);
  }

  /** When {@link #ask} should be called; {@link #NEVER} if there is no need. The wait starts at the first call after a batch was sent. */
  long askAtNs(long nowNs) {
    dropDone();
    long at = NEVER;
    for (Sent each : sent) {
      if (!each.isTimed) {
        each.isTimed = true;
        each.askAtNs = nowNs + settings.waitNs();
      }
      at = Math.min(at, each.askAtNs);
    }
    return at;
  }

  /** Asks the nodes that have not answered in time. */
  void ask(long nowNs) {
    dropDone();
    for (Sent each : sent) {
      if (each.isTimed && each.askAtNs <= nowNs) {
        each.askAtNs = NEVER; // Question and answer both arrive, unless the node is lost.
        for (long left = each.nodes & staging.pending(each.seq); left != 0; left &= left - 1) {
          port.send(Long.numberOfTrailingZeros(left), new DsmMessage.UpdatesSent(each.seq, each.offset, each.bytes));
          asked++;
        }
      }
    }
  }

  /** A node that was asked lacks a part of a batch. */
  void onMissing(int from, long seq) {
    long bit = 1L << from;
    for (Sent each : sent) {
      if (each.seq == seq && (each.nodes & staging.pending(seq) & bit) != 0) {
        each.nodes &= ~bit;
        repairs++;
        port.write(each.offset, each.bytes, from);
        port.send(from, new DsmMessage.Updates(seq, each.offset, each.bytes));
        return;
      }
    }
    throw new IllegalArgumentException("it was not asked for batch " + seq);
  }

  long datagrams() {
    return datagrams;
  }

  long batches() {
    return batches;
  }

  long asked() {
    return asked;
  }

  long repairs() {
    return repairs;
  }
}
