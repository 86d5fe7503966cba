package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;

/**
 * Accounts for the input buffers of one port: which are occupied, which credits are due, and whether the far end is paused. The switch's
 * memory owns it. Its port counts packets in; the port through which a packet leaves counts it out with {@link SwitchMemory#left} and
 * changes nothing else (docs/internals/decisions/0009). Hardware thread only.
 */
final class BufferAccount {
  private final InputBuffer input;
  private final XoffThresholds xoff;
  private final Replicas replicas = new Replicas();

  BufferAccount(int virtualLanes, int capacity) {
    input = new InputBuffer(virtualLanes, capacity);
    xoff = new XoffThresholds(virtualLanes);
  }

  /** Handles a link that came up; see {@link InputBuffer#open}. */
  void open() {
    input.open();
  }

  /** Handles a link that went down. */
  void close() {
    input.close();
    xoff.stop();
  }

  /** Starts Xoff for a far end that asks for it. */
  void startXoff(int xoffAtPackets, int xonAtPackets) {
    xoff.start(xoffAtPackets, xonAtPackets);
  }

  /** Takes a buffer for a packet that came in. Returns the credits to return now, or {@link InputBuffer#VIOLATION}. */
  int arrived(int lane) {
    return input.arrived(lane);
  }

  /** Whether the far end must get Xoff after a packet arrived. */
  boolean mustPause(int lane) {
    return xoff.isUsed() && xoff.occupied(lane, input.occupied(lane));
  }

  /** Whether the far end must get Xon after a buffer was freed. */
  boolean mustContinue(int lane) {
    return xoff.isUsed() && xoff.freed(lane, input.occupied(lane));
  }

  /** Registers a multicast packet, which occupies its buffer until {@code copies} copies have left. */
  void replicated(Packet packet, int copies) {
    replicas.begin(packet, copies);
  }

  /** Counts out a packet, or one copy of it. Returns what the port must send to its far end, mostly null. */
  SwitchPortActor.ReturnCredits left(Packet packet, int lane) {
    return !packet.isMulticast() || replicas.left(packet) ? dropped(lane) : null;
  }

  /** Counts out a packet that goes to no port. Returns what the port must send to its far end, mostly null. */
  SwitchPortActor.ReturnCredits dropped(int lane) {
    int due = input.freed(lane);
    return due == 0 && !xoff.isPaused(lane) ? null : new SwitchPortActor.ReturnCredits(lane, due, input.session());
  }

  /** Returns a number that changes whenever the link changes. */
  int session() {
    return input.session();
  }

  /** Returns the credits to grant on {@code lane} when the link comes up. */
  int grant(int lane) {
    return input.grant(lane);
  }

  int farEndHolds(int lane) {
    return input.farEndHolds(lane);
  }

  int occupied(int lane) {
    return input.occupied(lane);
  }

  int occupiedHighWater(int lane) {
    return input.occupiedHighWater(lane);
  }

  boolean isEmpty() {
    return input.isEmpty();
  }
}
