package dev.weft.pager.server;

import dev.weft.pager.memory.SparseMap;
import dev.weft.pager.wire.Handshake.AreaName;

/** Memory lent to a client of some node. It outlives the client's connection for a while, so that a client that comes back finds its data. */
final class LentArea {
  final AreaName name;
  final String node;
  final long start;
  final long bytes;
  final SparseMap map;
  final Zeroing zeroing;
  /** Null while nobody is connected. */
  ClientArea client;
  /** The connection that was made last; whatever else is told of earlier ones is of no interest. */
  ClientArea last;
  /** The node of its client is gone, though a connection is there still, or being made. */
  boolean isOrphan;
  /** Until when it is kept while nobody is connected. */
  long keptUntilNs;

  LentArea(AreaName name, String node, long start, long bytes, SparseMap map, Zeroing zeroing) {
    this.name = name;
    this.node = node;
    this.start = start;
    this.bytes = bytes;
    this.map = map;
    this.zeroing = zeroing;
  }
}
