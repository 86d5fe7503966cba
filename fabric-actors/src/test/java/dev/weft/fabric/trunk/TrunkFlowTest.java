package dev.weft.fabric.trunk;

import static dev.weft.fabric.trunk.TrunkBed.SOON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.FishingOutcomes;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.TestClients;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.trunk.TrunkBed.End;
import io.aeron.Aeron;
import io.aeron.Publication;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Flow control, ownership of buffers and faults at both ends of a trunk; probes stand for the switch ports. */
@Tag("jvms")
@Timeout(180)
class TrunkFlowTest {
  private static final Duration QUIET = Duration.ofMillis(100);

  private static TrunkBed bed;

  private final AtomicInteger released = new AtomicInteger();

  @BeforeAll
  static void start() throws Exception {
    bed = new TrunkBed("trunk-flow");
  }

  @AfterAll
  static void stop() {
    bed.close();
  }

  @AfterEach
  void closeEnds() throws Exception {
    bed.closeEnds();
  }

  private Packet packet(int psn, int serviceLevel, int length) {
    byte[] data = new byte[length];
    return new Packet(Opcode.RC_SEND_ONLY, 1, 2, serviceLevel, false, false, Packet.DEFAULT_PKEY, 3, psn, 0, 0, 0, 0, 0, 0,
        0, 0, Payload.of(MemorySegment.ofArray(data), 0, length, released::incrementAndGet));
  }

  @Test
  void shouldDeliverNoMoreThanTheReceivingPortHasGranted() throws Exception {
    End[] t = bed.trunk("", 3);
    for (int psn = 0; psn < 6; psn++) {
      t[0].transmit(packet(psn, 0, 10));
    }
    for (int psn = 0; psn < 3; psn++) {
      t[1].expectPacket(psn).release();
    }
    t[1].port.expectNoMessage(QUIET);
    t[1].transmit(new Credits(0, 2));
    t[1].expectPacket(3).release();
    t[1].expectPacket(4).release();
    t[1].port.expectNoMessage(QUIET);
    assertTrue(t[1].cable.receiveCounters().waitedForCredit() > 0);
  }

  @Test
  void shouldKeepTheBufferUntilTheOldestPacketIsReleased() throws Exception {
    End[] t = bed.trunk("receive-window-packets = 4", 100);
    List<Packet> held = new ArrayList<>();
    for (int psn = 0; psn < 8; psn++) {
      t[0].transmit(packet(psn, 0, 100));
    }
    for (int psn = 0; psn < 4; psn++) {
      held.add(t[1].expectPacket(psn));
    }
    held.get(1).release();
    held.get(3).release();
    t[1].port.expectNoMessage(QUIET);
    held.get(0).release();
    held.get(0).release(); // A second time, which must not count for another packet.
    t[1].expectPacket(4).release();
    t[1].expectPacket(5).release();
    t[1].port.expectNoMessage(QUIET);
    held.get(2).release();
    t[1].expectPacket(6).release();
    t[1].expectPacket(7).release();
  }

  @Test
  void shouldDiscardReleaseAndCountWhatThePeerDoesNotTakeInTime() throws Exception {
    End[] t = bed.trunk("undeliverable-after = 2 s, queue-packets = 16, path-mtu = 4096, ipc-term-length = 64 KiB", 0);
    int sent = 0;
    int credits = 16;
    while (credits > 0) {
      t[0].transmit(packet(sent++, 0, 4096));
      credits--;
      while (credits == 0) { // The rest of the credits is in the queue once none comes back.
        try {
          credits += t[0].port.expectMessageClass(Credits.class, QUIET).count();
        } catch (AssertionError none) {
          break;
        }
      }
    }
    TrunkCable.Counters stuck = t[0].cable.counters();
    assertTrue(stuck.queued() > 0 && stuck.backPressured() > 0, stuck.toString());
    int total = sent;
    t[0].port.awaitAssert(SOON, () -> {
      TrunkCable.Counters counters = t[0].cable.counters();
      assertEquals(0, counters.queued());
      assertEquals(total, counters.sentPackets() + counters.discardedUndeliverable());
      assertEquals(total, released.get());
      return null;
    });
    assertEquals(0, t[0].cable.counters().discardedWithoutCredit());

    t[1].transmit(new Credits(0, 1000)); // Now it reads: what was written arrives, and new packets pass.
    long written = t[0].cable.counters().sentPackets();
    for (int psn = 0; psn < written; psn++) {
      t[1].expectPacket(psn).release();
    }
    t[0].transmit(packet(total, 0, 4096));
    t[1].expectPacket(total).release();
  }

  private Packet burst(int position, int length) {
    return Packet.burst(Opcode.CLAN_WRITE, 1, 2, 1, 0, position, 7, position, false,
        Payload.of(MemorySegment.ofArray(new byte[length]), 0, length, released::incrementAndGet));
  }

  /** The peer reads nothing for ten times as long as the rest may wait. */
  @Test
  void shouldKeepWhatIsNotToBeLostUntilThePeerTakesIt() throws Exception {
    End[] t = bed.trunk("undeliverable-after = 50 ms, queue-packets = 8, path-mtu = 4096, ipc-term-length = 64 KiB", 0);
    int sent = 0;
    int credits = 8;
    while (credits > 0) {
      t[0].transmit(burst(sent++, 4096));
      credits--;
      while (credits == 0) {
        try {
          credits += t[0].port.expectMessageClass(Credits.class, QUIET).count();
        } catch (AssertionError none) {
          break;
        }
      }
    }
    int bursts = t[0].cable.counters().queued();
    assertTrue(bursts > 0);
    for (int i = 0; i < 8; i++) {
      t[0].transmit(packet(i, 0, 100));
    }
    t[0].port.awaitAssert(SOON, () -> {
      assertEquals(8, t[0].cable.counters().discardedUndeliverable(), "the others");
      return null;
    });
    Thread.sleep(500);
    assertEquals(bursts, t[0].cable.counters().queued());
    t[1].transmit(new Credits(1, 1000));
    for (int position = 0; position < sent; position++) {
      Packet packet = t[1].port.expectMessageClass(Packet.class, SOON);
      assertEquals(position, packet.immediate());
      packet.release();
    }
    assertEquals(8, t[0].cable.counters().discardedUndeliverable());
  }

  @Test
  void shouldGiveUpWhatIsNotToBeLostWhenItHasWaitedForTooLong() throws Exception {
    End[] t = bed.trunk("undeliverable-after = 50 ms, lossless-undeliverable-after = 300 ms, queue-packets = 8, path-mtu = 4096,"
        + " ipc-term-length = 64 KiB", 0);
    int sent = 0;
    for (int credits = 8; credits > 0; credits--) {
      t[0].transmit(burst(sent++, 4096));
      try {
        credits += t[0].port.expectMessageClass(Credits.class, Duration.ofMillis(20)).count();
      } catch (AssertionError none) {
        continue;
      }
    }
    int total = sent;
    t[0].port.awaitAssert(SOON, () -> {
      TrunkCable.Counters counters = t[0].cable.counters();
      assertEquals(0, counters.queued());
      assertTrue(counters.discardedUndeliverable() > 0);
      assertEquals(total, released.get());
      return null;
    });
  }

  @Test
  void shouldRefuseAPacketWithoutCreditAndOneBeyondThePathMtu() throws Exception {
    End[] t = bed.trunk("queue-packets = 2, path-mtu = 1024", 100);
    t[0].transmit(packet(0, 0, 2000));
    t[1].port.expectNoMessage(QUIET);
    assertEquals(1, t[0].cable.counters().discardedInvalid());
    assertEquals(1, released.get());
    t[0].transmit(new LinkState(false, 0));
    t[0].transmit(packet(1, 0, 10));
    assertEquals(1, t[0].cable.counters().discardedLinkDown());
    assertEquals(2, released.get());
  }

  @Test
  void shouldCountAndSkipFramesThatHoldNoPacket() throws Exception {
    End[] t = bed.trunk("", 100);
    String channel = "aeron:ipc?term-length=64k|mtu=1024|session-id=" + TrunkReceiver.sessionId(1, 999);
    UnsafeBuffer frame = new UnsafeBuffer(new byte[4000]);
    try (Aeron aeron = TestClients.connect(bed.driver.directory());
        Publication rogue = aeron.addPublication(channel, t[1].endpoint.address().ipcStreamId())) {
      offer(rogue, frame, 3);
      offer(rogue, frame, 64); // No mark.
      TrunkFrame.putHeader(frame, 0, 1, 2, 0, 0);
      offer(rogue, frame, 64); // No opcode that is known with that length.
      offer(rogue, frame, 3000); // In several fragments: the first has the mark, none is a whole frame.
      TrunkFrame.putHeader(frame, 0, 1, 2, 0xff, TrunkFrame.FLAG_ICRC);
      offer(rogue, frame, 64); // No such service level.
      t[1].port.awaitAssert(SOON, () -> {
        assertTrue(t[1].cable.receiveCounters().discardedMalformed() >= 7);
        return null;
      });
    }
    t[0].transmit(packet(5, 1, 10));
    t[1].expectPacket(5).release();
  }

  static void offer(Publication publication, UnsafeBuffer frame, int length) throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (publication.offer(frame, 0, length) < 0) {
      assertTrue(System.nanoTime() < deadlineNs, "the rogue publication is not taken");
      Thread.sleep(1);
    }
  }

  @Test
  void shouldTellThePortWhenThePeerIsGone() throws Exception {
    End[] t = bed.trunk("undeliverable-after = 100 ms", 100);
    t[1].close();
    t[0].port.awaitAssert(SOON, () -> {
      assertTrue(!t[0].line.publication().isConnected());
      return null;
    });
    int sent = 0;
    do { // Aeron may take packets for a moment longer: its driver lowers the limit of the publication later than it ends the connection.
      t[0].transmit(packet(sent++, 0, 10));
    } while (t[0].cable.counters().sentPackets() == sent);
    t[0].port.fishForMessage(SOON, message -> message.equals(new LinkState(false, 0)) ? FishingOutcomes.complete()
        : FishingOutcomes.continueAndIgnore());
    assertEquals(sent, released.get());
  }

  @Test
  void shouldRefuseSettingsThatCannotWork() {
    assertEquals("weft.fabric.trunk.path-mtu = 1001 must be a multiple of 4", message("path-mtu = 1001"));
    assertEquals("weft.fabric.trunk.ipc-term-length = 65536 must be at least 262912, eight frames of path-mtu = 32768",
        message("ipc-term-length = 64 KiB"));
    assertEquals("weft.fabric.trunk.transport = \"tcp\" must be one of [auto, ipc, udp]", message("transport = tcp"));
  }

  private static String message(String override) {
    try {
      TrunkSettings.of(ConfigFactory.parseString("weft.fabric.trunk." + override).withFallback(ConfigFactory.load()));
      return "accepted";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }
}
