package dev.weft.hca.transport;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.MemorySegment;

/**
 * Requests that came before their turn, over a fabric that reorders (seed 004, abstract): they are kept, by PSN, until those before them
 * have come, so that data and notifications take effect in order and nothing is sent again. Kept packets have copies of their bytes: the
 * fabric gets its own back. Bound: the size of the window. Confined to the hardware thread.
 */
final class SequenceWindow {
  private final Packet[] packets;
  private final CopyCounter copies;
  private int count;

  /**
   * An empty window.
   *
   * @param size packets that may come before their turn, 0 for none; a power of two, so that PSNs may wrap
   * @param copies takes the bytes copied
   */
  SequenceWindow(int size, CopyCounter copies) {
    packets = new Packet[size];
    this.copies = copies;
  }

  /** Keeps a packet whose turn comes {@code distance} packets after the one expected now; false if that is beyond the window. */
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

  /** Takes the packet of that PSN out, or null. */
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

  /** Forgets all. */
  void clear() {
    java.util.Arrays.fill(packets, null);
    count = 0;
  }
}
