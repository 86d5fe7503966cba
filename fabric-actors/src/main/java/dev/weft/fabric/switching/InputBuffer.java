package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;
import java.util.Arrays;

/**
 * The buffers that a port lends to the far end of its cable, in packets, for each virtual lane. A packet occupies one from its
 * arrival until it has left through the egress port. The port returns freed buffers as credits in batches.
 *
 * <p>A batch is half of the buffers that are not occupied: large while traffic flows, down to one when nearly all buffers are
 * occupied. So the far end always holds at least half of the free buffers, and therefore a credit whenever there is a free
 * buffer. Batching can never block the far end.
 *
 * <p>Only this object changes the accounts. Its port counts packets in; the port through which a packet leaves counts it out with {@link
 * SwitchMemory#left} and touches nothing else (docs/internals/decisions/0009). Hardware thread only.
 */
final class InputBuffer {
  /** Result of {@link #arrived} if the far end had no credit. */
  static final int VIOLATION = -1;

  private final int capacity;
  private final int[] occupied;
  private final int[] unreturned;
  private final int[] occupiedHighWater;
  private final XoffThresholds xoff;
  private final Replicas replicas = new Replicas();
  private boolean open;
  private int session;

  InputBuffer(int virtualLanes, int capacity) {
    this.capacity = capacity;
    this.occupied = new int[virtualLanes];
    this.unreturned = new int[virtualLanes];
    this.occupiedHighWater = new int[virtualLanes];
    this.xoff = new XoffThresholds(virtualLanes);
  }

  /** Handles a link that came up. Packets of the session before may still occupy buffers; {@link #grant} does not count these. */
  void open() {
    Arrays.fill(unreturned, 0);
    session++;
    open = true;
  }

  /** Handles a link that went down: no credits are granted or returned until {@link #open}. */
  void close() {
    Arrays.fill(unreturned, 0);
    session++;
    open = false;
    xoff.stop();
  }

  /** Returns a number that changes whenever the link changes, so that a credit return of an earlier session can be recognized. */
  int session() {
    return session;
  }

  /** Returns the credits to grant on {@code lane} when the link comes up. */
  int grant(int lane) {
    return capacity - occupied[lane];
  }

  /** Takes a buffer for a packet that came in. Returns the credits to return now, mostly 0; or {@link #VIOLATION}, without taking a buffer. */
  int arrived(int lane) {
    if (farEndHolds(lane) <= 0) {
      return VIOLATION;
    }
    int count = ++occupied[lane];
    if (count > occupiedHighWater[lane]) {
      occupiedHighWater[lane] = count;
    }
    return takeDue(lane);
  }

  /** Starts Xoff for a far end that asks for it. */
  void startXoff(int xoffAtPackets, int xonAtPackets) {
    xoff.start(xoffAtPackets, xonAtPackets);
  }

  /** Whether the far end must get Xoff after a packet arrived. */
  boolean mustPause(int lane) {
    return xoff.isUsed() && xoff.occupied(lane, occupied[lane]);
  }

  /** Whether the far end must get Xon after a buffer was freed. */
  boolean mustContinue(int lane) {
    return xoff.isUsed() && xoff.freed(lane, occupied[lane]);
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
    int due = freed(lane);
    return due == 0 && !xoff.isPaused(lane) ? null : new SwitchPortActor.ReturnCredits(lane, due, session);
  }

  /** Frees the buffer of a packet. Returns the credits to return now, mostly 0. */
  int freed(int lane) {
    if (--occupied[lane] < 0) {
      throw new IllegalStateException("lane " + lane + ": more packets left the input buffer than came in");
    }
    if (!open) {
      return 0;
    }
    unreturned[lane]++;
    return takeDue(lane);
  }

  private int takeDue(int lane) {
    int count = unreturned[lane];
    if (count == 0 || count < (capacity - occupied[lane]) >> 1) {
      return 0;
    }
    unreturned[lane] = 0;
    return count;
  }

  /** Returns the credits that the far end holds or has in flight, as this end counts them. */
  int farEndHolds(int lane) {
    return capacity - occupied[lane] - unreturned[lane];
  }

  int occupied(int lane) {
    return occupied[lane];
  }

  int occupiedHighWater(int lane) {
    return occupiedHighWater[lane];
  }

  boolean isEmpty() {
    for (int count : occupied) {
      if (count != 0) {
        return false;
      }
    }
    return true;
  }
}
