package dev.weft.dsm.release;

import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;

/**
 * Batches of this node that went to the group, and who has not answered yet. Those that do not answer in time are asked whether all of it has come, on
 * their connections; one that lacks something gets the whole batch there. Used in the receive context.
 *
 * <p>Bound: a batch for each slot.
 */
final class GroupSends {
  static final long NEVER = Long.MAX_VALUE;

  private static final class Sent {
    final long seq;
    final long offset;
    final int bytes;
    /** Bits of the nodes that got it by the group and nothing else yet. */
    long nodes;
    /** When they are asked; {@link #NEVER} when they were. */
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

  /** A node gets what is sent to the group. */
  void onListens(int node) {
    listening |= 1L << node;
  }

  void onNodeLost(int node) {
    listening &= ~(1L << node);
  }

  /** Those of the receivers that get a batch by the group; none where it is not worth it, or not possible. */
  long byGroup(long receivers) {
    long nodes = receivers & listening;
    return Long.bitCount(nodes) >= settings.copiesMin() && cut() > 0 ? nodes : 0;
  }

  private int cut() {
    return Math.max(0, group.datagramBytes() - Part.HEADER_BYTES) & -8;
  }

  /** Sends a batch to those that get it by the group; answers their bits. */
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

  /** Whether somebody has not answered. */
  boolean isPending() {
    dropDone();
    return !sent.isEmpty();
  }

  private void dropDone() {
    sent.removeIf(each -> staging.pending(each.seq) == 0);
  }

  /** When {@link #ask} should be called; {@link #NEVER} if there is no need. Time begins with the first call after a batch was sent. */
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

  /** Asks those that have let this node wait for too long. */
  void ask(long nowNs) {
    dropDone();
    for (Sent each : sent) {
      if (each.isTimed && each.askAtNs <= nowNs) {
        each.askAtNs = NEVER; // Both the question and the answer come for sure, unless the node is lost.
        for (long left = each.nodes & staging.pending(each.seq); left != 0; left &= left - 1) {
          port.send(Long.numberOfTrailingZeros(left), new DsmMessage.UpdatesSent(each.seq, each.offset, each.bytes));
          asked++;
        }
      }
    }
  }

  /** A node that was asked lacks some of a batch. */
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
