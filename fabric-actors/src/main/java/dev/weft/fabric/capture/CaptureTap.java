package dev.weft.fabric.capture;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.Clock;

/**
 * A cable that shows each packet to a sink before it passes the packet on; credits and link states just pass. The sink comes
 * first because the far end may release the payload as soon as it has the packet. Packets whose bytes were taken back are not shown.
 *
 * @param cable the cable to which everything passes
 * @param clock clock for the time of the transmission
 * @param sink gets the packets on the transmitting thread
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
      return; // The payload was in another process; no receiver will ever see it.
    }
  }
}
