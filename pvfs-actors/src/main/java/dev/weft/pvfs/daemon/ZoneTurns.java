package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import java.util.ArrayDeque;

/** Operations that wait for a zone buffer: connections get one in turn. Bound: as many operations as clients have credits. The daemon's thread. */
final class ZoneTurns {
  /** Parts of one operation under way: one on the network, one at the disk. */
  private static final int PARTS_MAX = 2;

  /** Begins the next part of an operation, of so many bytes, in a zone buffer. */
  @FunctionalInterface
  interface Parts {
    void start(DaemonOperation op, Zones.Zone zone, int bytes);
  }

  private final Zones zones;
  private final int transferBytes;
  private final Parts parts;
  /** Connections with operations that wait, in turn. */
  private final ArrayDeque<DaemonClient> turns = new ArrayDeque<>();

  ZoneTurns(Zones zones, int transferBytes, Parts parts) {
    this.zones = zones;
    this.transferBytes = transferBytes;
    this.parts = parts;
  }

  /** Puts an operation that has more to move among those that wait; {@link #grant} follows. */
  void want(DaemonOperation op) {
    if (op.client.isClosed || op.wantsZone || op.errno != Errno.OK || op.isMoved() || op.parts >= PARTS_MAX) {
      return;
    }
    op.wantsZone = true;
    op.client.wanting.add(op);
    if (op.client.wanting.size() == 1) {
      turns.add(op.client);
    }
  }

  /** A failed operation takes no more zone buffers. */
  void stopWanting(DaemonOperation op) {
    if (op.wantsZone) {
      op.wantsZone = false;
      op.client.wanting.remove(op);
      if (op.client.wanting.isEmpty()) {
        turns.remove(op.client);
      }
    }
  }

  /** Gives zone buffers to operations, connection by connection. */
  void grant() {
    while (!turns.isEmpty()) {
      DaemonClient client = turns.peek();
      DaemonOperation op = client.wanting.peek();
      boolean mayBeChopped = op.request.band == Band.SERVER;
      long left = op.request.file.totalBytes() - op.moved;
      Zones.Zone zone = zones.take((int) Math.min(left, mayBeChopped ? transferBytes : zones.biggestBytes()), mayBeChopped);
      if (zone == null) {
        return; // The first one stays first; otherwise requests for large buffers would starve.
      }
      turns.poll();
      client.wanting.poll();
      op.wantsZone = false;
      parts.start(op, zone, (int) Math.min(left, mayBeChopped ? Math.min(zone.bytes, transferBytes) : zone.bytes));
      want(op);
      if (!client.wanting.isEmpty() && !turns.contains(client)) {
        turns.add(client);
      }
    }
  }

  /** Forgets a client that has gone. */
  void forget(DaemonClient client) {
    turns.remove(client);
    client.wanting.clear();
  }

  boolean hasWaiting() {
    return !turns.isEmpty();
  }

  /** Returns the number of operations that wait. */
  int waiting() {
    return turns.stream().mapToInt(client -> client.wanting.size()).sum();
  }
}
