package dev.weft.fabric.capture;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.Clock;

/**
 * A cable that shows each packet to a sink before it hands it on; credits and link states just pass. The sink comes
 * first because the far end may release the payload as soon as it has the packet.
 *
 * @param cable where everything goes
 * @param clock time of the transmission
 * @param sink sees the packets, on the transmitting thread
 */
public record CaptureTap(Cable cable, Clock clock, PacketSink sink) implements Cable {
  @Override
  public void transmit(CableMessage message) {
    if (message instanceof Packet packet) {
      sink.onPacket(clock.nowNs(), packet);
    }
    cable.transmit(message);
  }
}
