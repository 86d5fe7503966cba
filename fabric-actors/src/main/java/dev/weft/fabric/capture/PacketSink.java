package dev.weft.fabric.capture;

import dev.weft.fabric.packet.Packet;

/** Gets the packets of a cable. */
@FunctionalInterface
public interface PacketSink {
  /**
   * Handles a packet that passed at {@code nowNs} of the fabric's clock. Called on the transmitting thread. The sink must not
   * release the packet, and must not refer to its payload after it has returned.
   */
  void onPacket(long nowNs, Packet packet);
}
