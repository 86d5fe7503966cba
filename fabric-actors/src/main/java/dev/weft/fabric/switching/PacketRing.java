package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;
import java.util.Arrays;

/** A FIFO of packets that grows up to a bound and then rejects packets. */
final class PacketRing {
  private static final int INITIAL_SIZE = 8;

  private final int bound;
  private Packet[] ring = new Packet[INITIAL_SIZE];
  private int head;
  private int count;

  PacketRing(int bound) {
    this.bound = bound;
  }

  boolean offer(Packet packet) {
    if (count == bound) {
      return false;
    }
    if (count == ring.length) {
      grow();
    }
    ring[(head + count) & (ring.length - 1)] = packet;
    count++;
    return true;
  }

  /** Puts a packet back before the oldest. Only directly after {@link #poll}, so that there is room. */
  void putBack(Packet packet) {
    head = (head - 1) & (ring.length - 1);
    ring[head] = packet;
    count++;
  }

  /** Returns the youngest packet, or null. */
  Packet last() {
    return count == 0 ? null : ring[(head + count - 1) & (ring.length - 1)];
  }

  /** Replaces the youngest packet. */
  void replaceLast(Packet packet) {
    ring[(head + count - 1) & (ring.length - 1)] = packet;
  }

  /** Removes and returns the oldest packet, or null. */
  Packet poll() {
    if (count == 0) {
      return null;
    }
    Packet packet = ring[head];
    ring[head] = null;
    head = (head + 1) & (ring.length - 1);
    count--;
    return packet;
  }

  /** Removes and returns the oldest packet that may be lost, or null. The others keep their order. */
  Packet takeLossy() {
    for (int i = 0; i < count; i++) {
      Packet packet = ring[(head + i) & (ring.length - 1)];
      if (!packet.isLossless()) {
        for (int j = i; j > 0; j--) {
          ring[(head + j) & (ring.length - 1)] = ring[(head + j - 1) & (ring.length - 1)];
        }
        poll();
        return packet;
      }
    }
    return null;
  }

  boolean isEmpty() {
    return count == 0;
  }

  private void grow() {
    Packet[] larger = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
    System.arraycopy(ring, 0, larger, ring.length - head, head);
    ring = larger;
    head = 0;
  }
}
