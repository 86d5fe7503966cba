package dev.weft.pager.server;

import dev.weft.fabric.time.Marks;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.pager.PagerMark;
import dev.weft.pager.memory.SparseMap;
import dev.weft.pager.wire.PagerRequest;
import java.util.ArrayDeque;

/** One connection of a client: its area and its requests. */
final class ClientArea {
  final LentArea area;
  final QueuePairChannel channel;
  final long start;
  final long bytes;
  final SparseMap map;
  final Zeroing zeroing;
  final ServerOp[] ops;
  /** The length of the longest write that may be sent with its data. */
  final int inlineBytes;
  /** The requests that wait for room in the send queue, in order; the credits limit their number. */
  final ArrayDeque<ServerOp> waiting = new ArrayDeque<>();
  private final ArrayDeque<ServerOp> freeOps = new ArrayDeque<>();
  Connection connection;
  boolean closed;
  /** Whether the client knows the area's name, so that it can come back. */
  boolean mayReturn;

  ClientArea(LentArea area, QueuePairChannel channel, int credits, int inlineBytes, boolean isResumed) {
    this.area = area;
    this.channel = channel;
    this.start = area.start;
    this.bytes = area.bytes;
    this.map = area.map;
    this.zeroing = area.zeroing;
    this.inlineBytes = inlineBytes;
    this.mayReturn = isResumed;
    this.ops = new ServerOp[credits];
    for (int i = 0; i < credits; i++) {
      ops[i] = new ServerOp(this, i);
      freeOps.add(ops[i]);
    }
    channel.attach(this);
  }

  /** Returns a request to fill in, or null if the client exceeds its credits. */
  ServerOp takeOp() {
    return freeOps.poll();
  }

  void release(ServerOp op) {
    freeOps.add(op);
  }

  /**
   * Makes the range read as zeros. Writes whose data is in flight count as later than the trim in the blocks that they share with the range, so these
   * blocks stay allocated. As holes, they would show the data when it arrives, but zeros again when they are next allocated.
   */
  void trim(long offset, long length) {
    map.trim(offset, length);
    for (ServerOp op : ops) {
      PagerRequest write = op.request;
      boolean isPlacing = op.stage == ServerOp.Stage.READING && op.stagingSlot == ServerOp.NO_SLOT;
      if (isPlacing && write.areaOffset < offset + length && offset < write.areaOffset + write.length) {
        Marks.hit(PagerMark.BLOCK_TRIMMED_UNDER_WRITE);
        map.prepareWrite(write.areaOffset, write.length);
      }
    }
  }

  int outstanding() {
    return ops.length - freeOps.size();
  }
}
