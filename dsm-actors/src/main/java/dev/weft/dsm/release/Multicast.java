package dev.weft.dsm.release;

import dev.weft.dsm.wire.DsmMessage;
import java.lang.foreign.MemorySegment;

/** One node's side of updates that go to all copies at once. Used in the receive context. */
public final class Multicast {
  private final GroupSends sends;
  private final GroupArrivals arrivals;
  private final Runnable afterwards;

  Multicast(GroupSends sends, GroupArrivals arrivals, Runnable afterwards) {
    this.sends = sends;
    this.arrivals = arrivals;
    this.afterwards = afterwards;
  }

  /** Size of the longest batch in bytes, for this size of shared memory. */
  public static int slotBytes(long memoryBytes) {
    return Staging.slotBytes(memoryBytes);
  }

  /** Handles a datagram to the group from a live node: its header, and where its data is. */
  public void onPart(Part part, MemorySegment buffer, long offset) {
    arrivals.onPart(part, buffer, offset);
    afterwards.run();
  }

  /** When {@link #ask} should be called; {@link Long#MAX_VALUE} if there is no need. Check it again after each step. */
  public long askAtNs(long nowNs) {
    return sends.askAtNs(nowNs);
  }

  /** Asks the nodes that have not answered in time. */
  public void ask(long nowNs) {
    sends.ask(nowNs);
  }

  /** Handles a message from another node. */
  void onMessage(int from, DsmMessage.OfBatch message) {
    switch (message) {
      case DsmMessage.Updates m -> arrivals.onUpdates(from, m);
      case DsmMessage.UpdatesSent m -> arrivals.onSent(from, m);
      case DsmMessage.UpdatesMissing m -> sends.onMissing(from, m.seq());
      case DsmMessage.Listens m -> sends.onListens(from);
    }
  }

  void onNodeLost(int node) {
    sends.onNodeLost(node);
  }
}
