package dev.weft.pager.server;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.pager.memory.SparseMap;
import java.util.ArrayDeque;

/** One client: its connection, its area and its requests. */
final class ClientArea {
  final int id;
  final String node;
  final MessageChannel channel;
  final long start;
  final long bytes;
  final SparseMap map;
  final ServerOp[] ops;
  /** Requests that wait for room in the send queue, in order; bounded by the credits. */
  final ArrayDeque<ServerOp> waiting = new ArrayDeque<>();
  private final ArrayDeque<ServerOp> freeOps = new ArrayDeque<>();
  Connection connection;
  boolean closed;

  ClientArea(int id, String node, MessageChannel channel, long start, long bytes, SparseMap map, int credits) {
    this.id = id;
    this.node = node;
    this.channel = channel;
    this.start = start;
    this.bytes = bytes;
    this.map = map;
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

  int outstanding() {
    return ops.length - freeOps.size();
  }
}
