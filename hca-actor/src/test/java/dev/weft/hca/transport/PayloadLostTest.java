package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.PayloadSource;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.UnpinnedPair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A packet whose sender's memory is found gone while its payload is placed counts as lost: the one that is sent again is taken. */
@Tag("simulation")
class PayloadLostTest {
  private static final int PSN = 100; // The first that a sends, of Pair.connect.
  private static final int LENGTH = 500;

  /** Half of the bytes can still be had. */
  private static final PayloadSource GONE = (address, target, offset, length) -> {
    target.asSlice(offset, length / 2).fill((byte) 0x77);
    throw new PayloadLostException("gone");
  };

  private static Payload lost() {
    return Payload.of(GONE, 0, LENGTH, null, null);
  }

  private static void assertDropped(Pair.Side side) {
    assertDropped(side, 1);
  }

  private static void assertDropped(Pair.Side side, int packets) {
    assertEquals(packets, side.counters().packetsDropped());
    assertEquals(0, side.counters().naksSent());
    assertEquals(QpState.RTS, side.qp.state());
    assertTrue(side.events().stream().allMatch(event -> event.type() == AsyncEvent.Type.PORT_ACTIVE));
  }

  @Test
  void shouldTakeTheWriteThatIsRepeated() {
    try (Pair pair = Pair.connected()) {
      pair.forge(pair.a, pair.b, Opcode.RC_RDMA_WRITE_ONLY, PSN, pair.b.mr.addr(), pair.b.mr.rkey(), LENGTH, 0, lost());
      pair.fabric.system().runFor(1_000);
      assertEquals(1, pair.b.counters().packetsDropped());
      pair.a.fill(1).send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
      pair.assertSame(0, 0, LENGTH);
      assertDropped(pair.b);
    }
  }

  @Test
  void shouldTakeTheWordThatIsRepeated() {
    try (Pair pair = Pair.connected()) {
      pair.forge(pair.a, pair.b, Opcode.RC_ATOMIC_WRITE, PSN, pair.b.mr.addr(), pair.b.mr.rkey(), 8, 0, Payload.of(GONE, 0, 8, null, null));
      pair.fabric.system().runFor(1_000);
      assertEquals(1, pair.b.counters().packetsDropped());
      pair.a.fill(1).send(pair.a.wr.atomicWrite(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
      pair.assertSame(0, 0, 8);
      assertDropped(pair.b);
    }
  }

  @Test
  void shouldFillTheSameReceiveWithTheSendThatIsRepeated() {
    try (Pair pair = Pair.connected()) {
      pair.b.post(7, 64, 1000);
      pair.b.post(8, 0, 10);
      pair.forge(pair.a, pair.b, Opcode.RC_SEND_ONLY, PSN, 0, lost());
      pair.fabric.system().runFor(1_000);
      assertEquals(List.of(), pair.b.received());
      pair.a.fill(2).send(pair.a.wr.send().sge(pair.a.mr, 0, LENGTH).signaled());
      pair.run();
      WorkCompletion received = pair.b.oneReceived();
      assertEquals(7, received.wrId());
      assertEquals(LENGTH, received.byteLen());
      pair.assertSame(0, 64, LENGTH);
      assertDropped(pair.b);
    }
  }

  @Test
  void shouldTakeTheAnswerThatIsRepeated() {
    try (Pair pair = Pair.connected()) {
      pair.b.fill(3);
      pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
      pair.runUntil(() -> pair.a.counters().packetsSent() == 1);
      pair.forge(pair.b, pair.a, Opcode.RC_RDMA_READ_RESPONSE_ONLY, PSN, 0, lost());
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
      pair.assertSame(0, 0, LENGTH);
      assertDropped(pair.a, 2); // The other one is the answer that it has asked for again: the first has come meanwhile.
    }
  }

  @Test
  void shouldNotKeepItInTheSequenceWindow() {
    try (Pair pair = Pair.with("weft.hca.sequence-window = 8").connect(attr -> {})) {
      pair.forge(pair.a, pair.b, Opcode.RC_RDMA_WRITE_ONLY, PSN + 1, pair.b.mr.addr(), pair.b.mr.rkey(), LENGTH, 0, lost());
      pair.fabric.system().runFor(1_000);
      for (int i = 0; i < 3; i++) {
        pair.a.fill(4 + i).send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, LENGTH).signaled());
        pair.run();
        assertEquals(WcStatus.SUCCESS, pair.a.oneSent().status());
        pair.assertSame(0, 0, LENGTH);
      }
      assertDropped(pair.b);
    }
  }

  @Test
  void shouldUnlockThePagesItWasMeantFor() {
    try (UnpinnedPair pair = new UnpinnedPair(4, 64)) {
      pair.poke(0, new byte[] {1});
      assertTrue(pair.isResident(0));
      forgeTo(pair, 0);
      pair.push(8, 16);
      assertFalse(pair.isResident(0), "a page that stays locked could not leave");
      shouldWrite(pair, 0);
      assertEquals(0, pair.nic().redirect().used());
    }
  }

  @Test
  void shouldLeaveNothingBehindInTheSystemBuffer() {
    try (UnpinnedPair pair = new UnpinnedPair(4, 64)) {
      pair.poke(40L * UnpinnedPair.PAGE, new byte[] {1});
      pair.push(8, 16);
      for (int page : new int[] {40, 41}) {
        forgeTo(pair, (long) page * UnpinnedPair.PAGE);
        assertEquals(0, pair.nic().redirect().used());
        assertEquals(0, pair.nic().redirect().waitingPages());
      }
      shouldWrite(pair, 40L * UnpinnedPair.PAGE);
    }
  }

  @Test
  void shouldTakeBackWhatPeersMayReadBeforeARequestFails() {
    try (Pair pair = Pair.connected()) {
      int lent = ((Qp) pair.a.qp).lease.epoch();
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey() + 1).sge(pair.a.mr, 0, LENGTH).signaled());
      pair.run();
      assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.oneSent().status());
      assertTrue(((Qp) pair.a.qp).lease.epoch() != lent);
      int answers = ((Qp) pair.b.qp).lease.epoch();
      pair.b.hca.destroyQp(pair.b.qp);
      assertTrue(((Qp) pair.b.qp).lease.epoch() != answers);
    }
  }

  private static void forgeTo(UnpinnedPair pair, long offset) {
    long dropped = pair.pair.b.counters().packetsDropped();
    pair.pair.forge(pair.pair.a, pair.pair.b, Opcode.RC_RDMA_WRITE_ONLY, PSN, pair.va(offset), pair.mr.rkey(), LENGTH, 0, lost());
    pair.pair.fabric.system().runFor(1_000);
    assertEquals(dropped + 1, pair.pair.b.counters().packetsDropped());
  }

  private static void shouldWrite(UnpinnedPair pair, long offset) {
    Pair.Side a = pair.pair.a;
    a.fill(9).send(a.wr.write(pair.va(offset), pair.mr.rkey()).sge(a.mr, 0, LENGTH).signaled());
    pair.pair.run();
    assertEquals(WcStatus.SUCCESS, a.oneSent().status());
    assertArrayEquals(a.memory.asSlice(0, LENGTH).toArray(ValueLayout.JAVA_BYTE), pair.peek(offset, LENGTH));
  }
}
