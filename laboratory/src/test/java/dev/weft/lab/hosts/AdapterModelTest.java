package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class AdapterModelTest {
  /** Doorbell 1, request 10, send 20, receive 30, acknowledgement 2, completion 3, read 40 and 4; a byte per ns, transaction 5. */
  private final AdapterModel adapter = new AdapterModel(new AdapterCosts(1, 10, 20, 30, 2, 3, 40, 4, 1_000_000_000L, 5, 2, 0));

  private static Packet packet(int opcode, int length) {
    return packet(opcode, length, 1);
  }

  private static Packet packet(int opcode, int length, int destQp) {
    Payload payload = length == 0 ? Payload.EMPTY : Payload.of(Arena.ofAuto().allocate(length), 0, length);
    return new Packet(opcode, 1, 2, 0, false, false, Packet.DEFAULT_PKEY, destQp, 0, 0, 0, 0, 0, 0, 0, 0, 0, payload);
  }

  @Test
  void shouldChargeTheRequestOnceForAMessageAndOverlapTheBus() {
    assertEquals(1 + 10 + 20 + 100 + 5, adapter.sent(packet(Opcode.RC_SEND_FIRST, 100), 0));
    assertEquals(131 + 100 + 5, adapter.sent(packet(Opcode.RC_SEND_LAST, 100), 0), "the bus is the bottleneck");
  }

  @Test
  void shouldChargeTheCompletionOfAReceiveWithItsLastPacket() {
    assertEquals(30 + 10 + 5, adapter.received(packet(Opcode.RC_SEND_FIRST, 10), 0));
    assertEquals(60 + 10 + 5 + 3, adapter.received(packet(Opcode.RC_SEND_LAST, 10), 0));
    assertEquals(1000 + 30 + 5 + 10, adapter.received(packet(Opcode.RC_RDMA_WRITE_ONLY, 10), 1000), "a write completes nothing here");
  }

  @Test
  void shouldChargeReadsAtTheResponderAndAtTheirCompletion() {
    assertEquals(40 + 20 + 10 + 5, adapter.sent(packet(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 10), 0));
    assertEquals(1000 + 30 + 10 + 5 + 3 + 4, adapter.received(packet(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 10), 1000));
  }

  @Test
  void shouldShareTheBusBetweenBothDirections() {
    assertEquals(30 + 100 + 5, adapter.received(packet(Opcode.RC_RDMA_WRITE_ONLY, 100), 0));
    assertEquals(130 + 50 + 5, adapter.sent(packet(Opcode.RC_RDMA_WRITE_MIDDLE, 50), 0));
  }

  @Test
  void shouldFetchTheContextThatEachEngineHasNotUsedLately() {
    AdapterModel two = new AdapterModel(new AdapterCosts(0, 0, 0, 0, 0, 0, 0, 0, 1_000_000_000L, 0, 2, 7));
    long now = 0;
    for (int[] step : new int[][] {{1, 7}, {1, 0}, {2, 7}, {1, 0}, {3, 7}, {1, 0}, {2, 7}, {1, 0}, {3, 7}}) {
      now += 1000;
      assertEquals(now + step[1], two.received(packet(Opcode.RC_RDMA_WRITE_ONLY, 0, step[0]), now), "queue pair " + step[0]);
    }
    assertEquals(now + 7, two.sent(packet(Opcode.RC_ACKNOWLEDGE, 0, 3), now), "the other engine has its own");
    assertEquals(now + 7, two.sent(packet(Opcode.RC_ACKNOWLEDGE, 0, 3), now), "and now has it");
  }

  @Test
  void shouldKeepAnAcknowledgementBehindThePacketBeforeIt() {
    long first = adapter.sent(packet(Opcode.RC_SEND_ONLY, 1000), 0);
    assertEquals(first, adapter.sent(packet(Opcode.RC_ACKNOWLEDGE, 0), 0));
  }

  @Test
  void shouldPassTheWordsOfABurstOnWhileOthersFollow() {
    assertEquals(20 + 5, adapter.sent(packet(Opcode.CLAN_WRITE, 100), 0), "the first word");
    assertEquals(100 + 20 + 5, adapter.sent(packet(Opcode.CLAN_WRITE, 10), 0), "the bus was taken");
    assertEquals(1000 + 30 + 5, adapter.received(packet(Opcode.CLAN_WRITE, 100), 1000), "the last word");
    assertEquals(1010 + 30 + 5, adapter.received(packet(Opcode.CLAN_WRITE, 10), 1000), "the bus was taken");
  }
}
