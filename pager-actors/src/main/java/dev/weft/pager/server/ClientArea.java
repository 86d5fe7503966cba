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
  /** Longest write whose data may come with its request. */
  final int inlineBytes;
  /** Requests that wait for room in the send queue, in order; bounded by the credits. */
  final ArrayDeque<ServerOp> waiting = new ArrayDeque<>();
  private final ArrayDeque<ServerOp> freeOps = new ArrayDeque<>();
  Connection connection;
  boolean closed;
  /** Its client knows the area's name. */
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

  /** A request to fill in, or null if the client has more outstanding than it was granted. */
  ServerOp takeOp() {
    return freeOps.poll();
  }

  void release(ServerOp op) {
    freeOps.add(op);
  }

  /**
   * Makes the range read as zeros. Writes whose data is on its way count as begun after that, in the blocks that they share with the
   * range: if those were left holes, they would show the data when it comes, and zeros again when they are next given out.
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
