package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Bursts;
import dev.weft.fabric.packet.Packet;

/**
 * Queues the packets that wait for a credit at an egress port, and decides which is next. The virtual lanes that can send take
 * turns. Within a lane, the ingress ports with packets take turns, one packet each. Packets of one ingress port and lane keep
 * their order. Every operation takes constant time, except for the scan over the lanes.
 *
 * <p>Bound: each (ingress port, lane) holds at most as many packets as the ingress port has input buffers, because each queued
 * packet occupies one.
 */
final class EgressArbiter {
  private final PacketRing[][] queues;
  private final int[][] turns;
  private final int[] turnsHead;
  private final int[] turnsCount;
  private final int[] depth;
  private final int[] depthHighWater;
  private final int bound;
  private final int turnsMask;
  private int lastLane;
  private int polledIngress;
  private boolean polledPart;

  /**
   * @param portsMax highest port number
   * @param bound packets that one ingress port may have queued on one lane
   */
  EgressArbiter(int virtualLanes, int portsMax, int bound) {
    this.bound = bound;
    int turnsSize = Integer.highestOneBit(portsMax) << 1;
    this.turnsMask = turnsSize - 1;
    this.queues = new PacketRing[virtualLanes][portsMax + 1];
    this.turns = new int[virtualLanes][];
    this.turnsHead = new int[virtualLanes];
    this.turnsCount = new int[virtualLanes];
    this.depth = new int[virtualLanes];
    this.depthHighWater = new int[virtualLanes];
    this.lastLane = virtualLanes - 1;
  }

  /** Queues a packet. Throws IllegalStateException if an ingress port forwards more packets than it has input buffers. */
  void enqueue(int lane, int ingressPort, Packet packet) {
    PacketRing queue = queues[lane][ingressPort];
    if (queue == null) {
      queue = new PacketRing(bound);
      queues[lane][ingressPort] = queue;
    }
    boolean wasEmpty = queue.isEmpty();
    if (!queue.offer(packet)) {
      throw new IllegalStateException("ingress port " + ingressPort + " lane " + lane + " has more than " + bound
          + " packets queued, which is its input buffer");
    }
    if (wasEmpty) {
      appendTurn(lane, ingressPort);
    }
    int count = ++depth[lane];
    if (count > depthHighWater[lane]) {
      depthHighWater[lane] = count;
    }
  }

  /**
   * Joins a burst with the youngest packet of its ingress port, if it continues that (CLAN paper, section 2.2). Returns true if it did; the
   * burst is then not queued separately.
   *
   * @param maxBytes largest payload of the joined burst
   */
  boolean coalesce(int lane, int ingressPort, Packet burst, int maxBytes) {
    PacketRing queue = queues[lane][ingressPort];
    Packet last = queue == null ? null : queue.last();
    Packet merged = last == null ? null : Bursts.coalesce(last, burst, maxBytes);
    if (merged == null) {
      return false;
    }
    queue.replaceLast(merged);
    return true;
  }

  /** Returns the lane whose turn it is among those with a packet and a credit, or -1. Only {@link #poll} takes the turn. */
  int nextLane(CreditCounter credits) {
    int lane = lastLane;
    for (int i = 0; i < depth.length; i++) {
      lane = lane + 1 == depth.length ? 0 : lane + 1;
      if (depth[lane] > 0 && credits.maySpend(lane)) {
        return lane;
      }
    }
    return -1;
  }

  /** Removes and returns the next packet of {@code lane}, or null. {@link #polledIngress} then returns its ingress port. */
  Packet poll(int lane) {
    return poll(lane, 0);
  }

  /**
   * Does the same, but cuts a burst longer than {@code quantumBytes} if other ingress ports wait, so that it does not delay them. The rest of
   * the burst waits for its next turn; see {@link #polledPart}. 0 means that it never cuts.
   */
  Packet poll(int lane, int quantumBytes) {
    polledPart = false;
    if (depth[lane] == 0) {
      return null;
    }
    int ingressPort = turns[lane][turnsHead[lane]];
    turnsHead[lane] = (turnsHead[lane] + 1) & turnsMask;
    turnsCount[lane]--;
    PacketRing queue = queues[lane][ingressPort];
    Packet packet = queue.poll();
    if (quantumBytes > 0 && turnsCount[lane] > 0 && packet.payload().length() > quantumBytes && Bursts.isBurst(packet)
        && !packet.isMulticast()) {
      Packet[] parts = Bursts.split(packet, quantumBytes);
      packet = parts[0];
      queue.putBack(parts[1]);
      polledPart = true;
      depth[lane]++;
    }
    if (!queue.isEmpty()) {
      appendTurn(lane, ingressPort);
    }
    depth[lane]--;
    lastLane = lane;
    polledIngress = ingressPort;
    return packet;
  }

  /**
   * Removes and returns a packet of {@code lane} that may be lost, the oldest of the first ingress port that has one; null if there is none.
   * {@link #polledIngress} then returns its ingress port. The other packets keep their order and their turns.
   */
  Packet pollLossy(int lane) {
    for (int turn = 0; turn < turnsCount[lane]; turn++) {
      int ingressPort = turns[lane][(turnsHead[lane] + turn) & turnsMask];
      Packet packet = queues[lane][ingressPort].takeLossy();
      if (packet != null) {
        if (queues[lane][ingressPort].isEmpty()) {
          removeTurn(lane, turn);
        }
        depth[lane]--;
        polledIngress = ingressPort;
        return packet;
      }
    }
    return null;
  }

  private void removeTurn(int lane, int turn) {
    for (int i = turn; i + 1 < turnsCount[lane]; i++) {
      turns[lane][(turnsHead[lane] + i) & turnsMask] = turns[lane][(turnsHead[lane] + i + 1) & turnsMask];
    }
    turnsCount[lane]--;
  }

  /** Returns the ingress port of the packet that {@link #poll} or {@link #pollLossy} returned last. */
  int polledIngress() {
    return polledIngress;
  }

  /** Whether {@link #poll} last returned the first part of a packet whose rest still occupies its buffer. */
  boolean polledPart() {
    return polledPart;
  }

  int depth(int lane) {
    return depth[lane];
  }

  int depthHighWater(int lane) {
    return depthHighWater[lane];
  }

  private void appendTurn(int lane, int ingressPort) {
    if (turns[lane] == null) {
      turns[lane] = new int[turnsMask + 1];
    }
    turns[lane][(turnsHead[lane] + turnsCount[lane]) & turnsMask] = ingressPort;
    turnsCount[lane]++;
  }
}
