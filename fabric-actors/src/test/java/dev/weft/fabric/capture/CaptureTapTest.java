package dev.weft.fabric.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.RandomPackets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaptureTapTest {
  @Test
  void shouldShowPacketsToTheSinkBeforeTheyGoOnAndPassLinkControl() {
    Packet packet = new RandomPackets(RandomPackets.seeded("CaptureTapTest")).next(Opcode.RC_SEND_ONLY, 8);
    CableMessage credits = new CableMessage.Credits(0, 3);
    CableMessage linkState = new CableMessage.LinkState(true, 7);
    List<Object> seen = new ArrayList<>();
    CaptureTap tap = new CaptureTap(
        message -> seen.add("cable " + message), () -> 123, (nowNs, p) -> seen.add("sink " + nowNs + " " + p));
    tap.transmit(linkState);
    tap.transmit(packet);
    tap.transmit(credits);
    assertEquals(
        List.of("cable " + linkState, "sink 123 " + packet, "cable " + packet, "cable " + credits), seen);
  }
}
