package dev.weft.fabric.capture;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.Clock;

/**
 * A cable that shows each packet to a sink before it hands it on; credits and link states just pass. The sink comes
 * first because the far end may release the payload as soon as it has the packet. It is not shown a packet whose bytes were taken back.
 *
 * @param cable where everything goes
 * @param clock time of the transmission
 * @param sink sees the packets, on the transmitting thread
 */
public record CaptureTap(Cable cable, Clock clock, PacketSink sink) implements Cable {
  @Override
  public void transmit(CableMessage message) {
    if (message instanceof Packet packet && packet.payload().isReadable()) {
      show(packet);
    }
    cable.transmit(message);
  }

  private void show(Packet packet) {
    try {
      sink.onPacket(clock.nowNs(), packet);
    } catch (PayloadLostException gone) {
      return; // It was in another process, and nobody will ever see it.
    }
  }
}
