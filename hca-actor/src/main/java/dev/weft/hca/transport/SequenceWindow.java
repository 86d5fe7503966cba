package dev.weft.hca.transport;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.MemorySegment;

/**
 * Keeps requests that arrive early, over a fabric that reorders (NetVM, abstract). It keeps them, by PSN, until the earlier ones have arrived, so that
 * data and notifications take effect in order without retransmissions. Kept packets have copies of their bytes, because the fabric's buffers are
 * released. The size of the window is the limit. Used on the hardware thread only.
 */
final class SequenceWindow {
  private final Packet[] packets;
  private final CopyCounter copies;
  private int count;

  /**
   * Creates an empty window.
   *
   * @param size number of packets that may arrive early, 0 for none; a power of two, so that PSNs may wrap
   * @param copies counts the copied bytes
   */
  SequenceWindow(int size, CopyCounter copies) {
    packets = new Packet[size];
    this.copies = copies;
  }

  /** Keeps a packet that is {@code distance} packets after the expected one; returns false if that is beyond the window. */
  boolean keep(Packet packet, int distance) {
    if (distance > packets.length) {
      return false;
    }
    int slot = Integer.remainderUnsigned(packet.psn(), packets.length);
    if (packets[slot] == null || packets[slot].psn() != packet.psn()) {
      Packet kept = copy(packet);
      count += packets[slot] == null ? 1 : 0;
      packets[slot] = kept;
    }
    return true;
  }

  private Packet copy(Packet packet) {
    int length = packet.payload().length();
    if (length == 0) {
      return packet;
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[length]);
    packet.payload().copyTo(bytes, 0, copies);
    return packet.with(Payload.of(bytes, 0, length));
  }

  /** Removes and returns the packet of that PSN, or null. */
  Packet take(int psn) {
    if (count == 0) {
      return null;
    }
    int slot = Integer.remainderUnsigned(psn, packets.length);
    Packet packet = packets[slot];
    if (packet == null || packet.psn() != psn) {
      return null;
    }
    packets[slot] = null;
    count--;
    return packet;
  }

  /** Drops all kept packets. */
  void clear() {
    java.util.Arrays.fill(packets, null);
    count = 0;
  }
}
