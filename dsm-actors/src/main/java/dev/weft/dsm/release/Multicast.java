package dev.weft.dsm.release;

import dev.weft.dsm.wire.DsmMessage;
import java.lang.foreign.MemorySegment;

/** Updates that go to all copies at a time, as one node sends and gets them. Used in the receive context. */
public final class Multicast {
  private final GroupSends sends;
  private final GroupArrivals arrivals;
  private final Runnable afterwards;

  Multicast(GroupSends sends, GroupArrivals arrivals, Runnable afterwards) {
    this.sends = sends;
    this.arrivals = arrivals;
    this.afterwards = afterwards;
  }

  /** Bytes of the longest batch with that much shared memory. */
  public static int slotBytes(long memoryBytes) {
    return Staging.slotBytes(memoryBytes);
  }

  /** A datagram to the group from a node that lives: its header, and where its data is. */
  public void onPart(Part part, MemorySegment buffer, long offset) {
    arrivals.onPart(part, buffer, offset);
    afterwards.run();
  }

  /** When {@link #ask} should be called; {@link Long#MAX_VALUE} if there is no need. To be looked at whenever something was done. */
  public long askAtNs(long nowNs) {
    return sends.askAtNs(nowNs);
  }

  /** Asks nodes that have not answered for too long. */
  public void ask(long nowNs) {
    sends.ask(nowNs);
  }

  /** A message from another node; false if it is none of these. */
  boolean onMessage(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.Updates m -> arrivals.onUpdates(from, m);
      case DsmMessage.UpdatesSent m -> arrivals.onSent(from, m);
      case DsmMessage.UpdatesMissing m -> sends.onMissing(from, m.seq());
      case DsmMessage.Listens m -> sends.onListens(from);
      default -> {
        return false;
      }
    }
    return true;
  }

  void onNodeLost(int node) {
    sends.onNodeLost(node);
  }
}
