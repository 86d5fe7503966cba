package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class SequenceWindowTest {
  private final CopyCounter copies = new CopyCounter();
  private final MemorySegment memory = MemorySegment.ofArray(new byte[] {1, 2, 3, 4});

  private Packet packet(int psn) {
    return new Packet(Opcode.RC_SEND_ONLY, 1, 2, 0, false, false, 0, 3, psn, 0, 0, 0, 0, 0, 0, 0, 0, Payload.of(memory, 0, 4));
  }

  @Test
  void shouldKeepWhatIsWithinTheWindowAndGiveItOnce() {
    SequenceWindow window = new SequenceWindow(4, copies);
    assertTrue(window.keep(packet(0xffffff), 1));
    assertTrue(window.keep(packet(2), 4));
    assertFalse(window.keep(packet(3), 5));
    assertNull(window.take(0));
    assertEquals(0xffffff, window.take(0xffffff).psn());
    assertNull(window.take(0xffffff));
    window.clear();
    assertNull(window.take(2));
  }

  @Test
  void shouldKeepTheBytesOfThatMoment() {
    SequenceWindow window = new SequenceWindow(2, copies);
    window.keep(packet(5), 1);
    memory.fill((byte) 9);
    assertEquals(2, window.take(5).payload().segment().get(ValueLayout.JAVA_BYTE, 1));
  }

  @Test
  void shouldKeepNothingWhereItIsOff() {
    assertFalse(new SequenceWindow(0, copies).keep(packet(1), 1));
  }
}
