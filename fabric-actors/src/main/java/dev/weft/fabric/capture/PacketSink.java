package dev.weft.fabric.capture;

import dev.weft.fabric.packet.Packet;

/** Takes note of packets. */
@FunctionalInterface
public interface PacketSink {
  /**
   * A packet passed at {@code nowNs} of the fabric's clock. Called on the thread of whoever transmits. The sink neither
   * releases the packet nor refers to its payload after it has returned.
   */
  void onPacket(long nowNs, Packet packet);
}
