package dev.weft.pager.server;

import dev.weft.pager.memory.SparseMap;
import dev.weft.pager.wire.Handshake.AreaName;

/** Memory lent to a client. It outlives the client's connection for some time, so that a client that reconnects finds its data. */
final class LentArea {
  final AreaName name;
  final String node;
  final long start;
  final long bytes;
  final SparseMap map;
  final Zeroing zeroing;
  /** The current connection; null while the client is not connected. */
  ClientArea client;
  /** The last connection; events of earlier connections are ignored. */
  ClientArea last;
  /** Whether the client's node has left the fabric although a connection still exists or is being set up. */
  boolean isOrphan;
  /** The time until which the area is kept while the client is not connected. */
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
