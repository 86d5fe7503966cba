package dev.weft.fabric.trunk;

import static dev.weft.fabric.trunk.TrunkBed.SOON;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.cluster.TestClients;
import dev.weft.fabric.memory.CutFile;
import dev.weft.fabric.memory.PeerMemory;
import dev.weft.fabric.memory.SharedLease;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.trunk.TrunkBed.End;
import io.aeron.Aeron;
import io.aeron.Publication;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets whose payload stays in the sender's memory until the receiver copies it. */
@Tag("jvms")
@Timeout(180)
class OneCopyTrunkTest {
  private static final int CREDITS = 1000;
  private static final int LONG = 20_000;

  private static TrunkBed bed;

  private final AtomicInteger released = new AtomicInteger();
  private final CopyCounter copies = new CopyCounter();
  private final SharedLease lease = new SharedLease();

  @BeforeAll
  static void start() throws Exception {
    Needs.that(PeerMemory.isSupported(), "there is no process_vm_readv(2), which Linux has");
    bed = new TrunkBed("one-copy");
  }

  @AfterAll
  static void stop() {
    if (bed != null) {
      bed.close();
    }
  }

  @AfterEach
  void closeEnds() throws Exception {
    bed.closeEnds();
  }

  /** A trunk whose first end has been told that the second can read its memory. */
  private static End[] trunk(String overrides) throws Exception {
    End[] t = bed.trunk(overrides, CREDITS);
    t[0].port.awaitAssert(SOON, () -> {
      assertTrue(t[0].cable.inbound().peerReads);
      return null;
    });
    return t;
  }

  private Packet packet(int opcode, int psn, Payload payload) {
    return plain(opcode, psn, payload.length() == 0 ? payload : payload.lentBy(lease));
  }

  private static Packet plain(int opcode, int psn, Payload payload) {
    return new Packet(opcode, 1, 2, 0, false, true, Packet.DEFAULT_PKEY, 3, psn, 77, 88, payload.length(), 0, 0, 0, 0, 0, payload);
  }

  private static MemorySegment random(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return Arena.ofAuto().allocate(length).copyFrom(MemorySegment.ofArray(bytes));
  }

  private byte[] bytes(Payload payload) {
    MemorySegment target = Arena.ofAuto().allocate(payload.length());
    payload.copyTo(target, 0, copies);
    return target.toArray(ValueLayout.JAVA_BYTE);
  }

  @ParameterizedTest
  @CsvSource({"true, 1000, never", "false, 100, 1000", "false, 1000, 100"})
  void shouldCopyLongPayloadsOnceAndShortOnesTwice(boolean isShared, String from, String unsharedFrom) throws Exception {
    End[] t = trunk("one-copy-from = " + from + ", one-copy-unshared-from = " + unsharedFrom);
    MemorySegment memory = random(1, LONG);
    if (isShared) {
      memory = SharedMemory.allocate(Arena.ofAuto(), LONG, 8).copyFrom(memory);
    }
    for (int length : new int[] {999, 1000, LONG}) {
      long before = t[0].cable.counters().bytesCopied();
      copies.add((int) -copies.bytes());
      t[0].transmit(packet(Opcode.RC_RDMA_WRITE_ONLY, length, Payload.of(memory, 0, length)));
      Packet arrived = t[1].expectPacket(length);
      assertEquals(plain(Opcode.RC_RDMA_WRITE_ONLY, length, arrived.payload()), arrived, "headers");
      assertArrayEquals(memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), bytes(arrived.payload()));
      arrived.release();
      assertEquals(length < 1000 ? 2 * length : length, t[0].cable.counters().bytesCopied() - before + copies.bytes());
    }
    assertEquals(2, t[0].cable.counters().referredPackets());
  }

  @Test
  void shouldGatherPiecesAndCopyWhatCannotStay() throws Exception {
    End[] t = trunk("one-copy-from = 1, one-copy-unshared-from = 1");
    MemorySegment memory = random(2, 4096);
    Payload gathered = null;
    byte[] want = new byte[TrunkReference.PIECES_MAX * 10];
    for (int i = TrunkReference.PIECES_MAX - 1; i >= 0; i--) {
      int from = (i * 1009) % 4000;
      gathered = gathered == null ? Payload.of(memory, from, 10) : Payload.of(memory, from, 10, gathered);
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from, want, 10 * i, 10);
    }
    t[0].transmit(packet(Opcode.RC_SEND_ONLY, 1, gathered));
    Packet arrived = t[1].expectPacket(1);
    assertArrayEquals(want, bytes(arrived.payload()));
    arrived.release();
    assertEquals(1, t[0].cable.counters().referredPackets());

    Payload heap = Payload.of(MemorySegment.ofArray(new byte[100]), 0, 100);
    Payload[] staying = {Payload.of(memory, 0, 5, gathered), heap, Payload.of(memory, 0, 4, heap)};
    for (int i = 0; i < staying.length; i++) {
      t[0].transmit(packet(Opcode.RC_SEND_ONLY, 2 + i, staying[i]));
      t[1].expectPacket(2 + i).release();
    }
    t[0].transmit(packet(Opcode.UC_SEND_ONLY, 5, Payload.of(memory, 0, 100))); // Its sender does not wait for an answer.
    t[1].expectPacket(5).release();
    t[0].transmit(plain(Opcode.RC_SEND_ONLY, 6, Payload.of(memory, 0, 100))); // Nobody would tell when its bytes change.
    t[1].expectPacket(6).release();
    assertEquals(1, t[0].cable.counters().referredPackets(), "too many pieces, on the heap, partly so, of another service, or not lent");
  }

  @Test
  void shouldReleaseOwnedBytesOnlyWhenThePeerHasReadThem() throws Exception {
    End[] t = trunk("one-copy-from = 1, one-copy-unshared-from = 1, receive-window-packets = 8");
    MemorySegment memory = random(3, LONG);
    Packet[] arrived = new Packet[8];
    for (int psn = 0; psn < arrived.length; psn++) {
      t[0].transmit(packet(Opcode.RC_SEND_ONLY, psn, Payload.of(memory, psn, LONG - psn, released::incrementAndGet)));
      arrived[psn] = t[1].expectPacket(psn);
    }
    assertEquals(8, t[0].cable.counters().referredPackets());
    assertEquals(0, released.get(), "nobody has read them");
    t[0].transmit(packet(Opcode.RC_SEND_ONLY, 8, Payload.of(memory, 0, LONG, released::incrementAndGet)));
    assertEquals(8, t[0].cable.counters().referredPackets(), "eight are held and no more");
    awaitReleased(1, t[0]);
    arrived[1].release();
    arrived[0].release();
    awaitReleased(3, t[0]);
    for (int psn = 2; psn < arrived.length; psn++) {
      assertArrayEquals(memory.asSlice(psn).toArray(ValueLayout.JAVA_BYTE), bytes(arrived[psn].payload()));
      arrived[psn].release();
    }
    t[1].expectPacket(8).release();
    awaitReleased(9, t[0]);
  }

  @Test
  void shouldHoldNoMoreBytesThanItMay() throws Exception {
    End[] t = trunk("one-copy-from = 1, one-copy-unshared-from = 1, one-copy-held = 50000");
    MemorySegment memory = random(8, LONG);
    for (int psn = 0; psn < 5; psn++) {
      t[0].transmit(packet(Opcode.RC_SEND_ONLY, psn, Payload.of(memory, 0, LONG, released::incrementAndGet)));
      t[1].expectPacket(psn);
    }
    assertEquals(2, t[0].cable.counters().referredPackets());
    awaitReleased(3, t[0]);
  }

  private void awaitReleased(int count, End end) {
    end.port.awaitAssert(SOON, () -> {
      assertEquals(count, released.get());
      return null;
    });
  }

  @Test
  void shouldReleaseWhatAPeerNeverReadWhenItIsGoneOrTheCableIsTakenAway() throws Exception {
    MemorySegment memory = random(4, LONG);
    End[] t = trunk("one-copy-from = 1, one-copy-unshared-from = 1, undeliverable-after = 100 ms");
    t[0].transmit(packet(Opcode.RC_SEND_ONLY, 0, Payload.of(memory, 0, LONG, released::incrementAndGet)));
    t[1].expectPacket(0);
    t[0].transmit(new LinkState(false, 0));
    assertEquals(0, released.get(), "the peer may still read it");
    t[1].close();
    awaitReleased(1, t[0]);
    bed.closeEnds();

    End[] other = trunk("one-copy-from = 1, one-copy-unshared-from = 1");
    other[0].transmit(packet(Opcode.RC_SEND_ONLY, 0, Payload.of(memory, 0, LONG, released::incrementAndGet)));
    other[1].expectPacket(0);
    int epoch = lease.epoch();
    bed.onHardware(() -> other[0].endpoint.unplug(other[0].line, other[0].cable));
    assertEquals(2, released.get());
    assertEquals(epoch + 1, lease.epoch(), "a peer that still reads it must find out");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLoseWhatWasTakenBackBeforeItWasRead(boolean isShared) throws Exception {
    End[] t = trunk("one-copy-from = 1, one-copy-unshared-from = 1");
    MemorySegment memory = isShared ? SharedMemory.allocate(Arena.ofAuto(), LONG, 8) : random(7, LONG);
    for (int psn = 0; psn < 20; psn++) { // The memory is mapped at some time.
      t[0].transmit(packet(Opcode.RC_SEND_ONLY, psn, Payload.of(memory, 0, LONG)));
      Packet arrived = t[1].expectPacket(psn);
      byte[] before = bytes(arrived.payload());
      assertArrayEquals(memory.toArray(ValueLayout.JAVA_BYTE), before);
      lease.revoke();
      memory.fill((byte) psn);
      assertThrows(PayloadLostException.class, () -> bytes(arrived.payload()));
      arrived.release();
    }
    Packet stale = packet(Opcode.RC_SEND_ONLY, 20, Payload.of(memory, 0, LONG, released::incrementAndGet));
    lease.revoke();
    t[0].transmit(stale);
    awaitReleased(1, t[0]);
    assertEquals(1, t[0].cable.counters().discardedInvalid(), "its request has failed");
    t[0].transmit(packet(Opcode.RC_SEND_ONLY, 21, Payload.of(memory, 0, LONG)));
    t[1].expectPacket(21).release();
  }

  @ParameterizedTest
  @ValueSource(strings = {"one-copy-from = never", "one-copy-from = 1, one-copy-unshared-from = 1"})
  void shouldLoseOnlyWhatHasNoPagesAnyMore(String settings) throws Exception {
    End[] t = settings.contains("never") ? bed.trunk(settings, CREDITS) : trunk(settings);
    try (CutFile file = new CutFile()) {
      file.cut();
      t[0].transmit(packet(Opcode.RC_SEND_ONLY, 0, Payload.of(file.memory(), 0, 1000, released::incrementAndGet)));
      t[0].transmit(packet(Opcode.RC_SEND_ONLY, 1, Payload.of(random(5, 1000), 0, 1000)));
      if (settings.contains("never")) {
        awaitReleased(1, t[0]);
        assertEquals(1, t[0].cable.counters().discardedInvalid());
      } else {
        Packet lost = t[1].expectPacket(0);
        assertThrows(PayloadLostException.class, () -> bytes(lost.payload()));
        lost.release();
      }
      Packet good = t[1].expectPacket(1);
      assertEquals(1000, bytes(good.payload()).length);
      good.release();
    }
  }

  @Test
  void shouldCopyTwiceWhereItIsToldTo() throws Exception {
    for (String override : new String[] {"one-copy-from = never", "icrc = on"}) {
      End[] t = bed.trunk(override, CREDITS);
      MemorySegment memory = random(5, LONG);
      for (int psn = 0; psn < 3; psn++) {
        t[0].transmit(packet(Opcode.RC_RDMA_WRITE_ONLY, psn, Payload.of(memory, 0, LONG)));
        Packet arrived = t[1].expectPacket(psn);
        assertArrayEquals(memory.toArray(ValueLayout.JAVA_BYTE), bytes(arrived.payload()));
        arrived.release();
      }
      assertEquals(0, t[0].cable.counters().referredPackets(), override);
      bed.closeEnds();
    }
  }

  @Test
  void shouldCountAndSkipReferencesThatAreNone() throws Exception {
    End[] t = trunk("one-copy-from = 1, one-copy-unshared-from = 1");
    UnsafeBuffer frame = new UnsafeBuffer(new byte[1000]);
    PacketCodec codec = new PacketCodec();
    MemorySegment memory = random(6, 64);
    int[][] wrong = {{0, 64}, {TrunkReference.PIECES_MAX + 1, 64}, {-1, 64}, {1, 0}, {1, -5}, {1, 1 << 31}, {1, 70_000}};
    String channel = "aeron:ipc?term-length=64k|mtu=2048|session-id=" + TrunkReceiver.sessionId(1, 999);
    try (Aeron aeron = TestClients.connect(bed.driver.directory());
        Publication rogue = aeron.addPublication(channel, t[1].endpoint.address().ipcStreamId())) {
      int at = TrunkFrame.HEADER_LENGTH;
      TrunkFrame.putHeader(frame, 0, 1, 2, 0, TrunkFrame.FLAG_REFERENCE);
      for (int[] piecesAndLength : wrong) {
        TrunkReference.put(frame, at, Payload.of(memory, 0, 64).lentBy(lease));
        frame.putShort(at, (short) piecesAndLength[0]);
        frame.putInt(at + 16, piecesAndLength[1]);
        codec.encode(packet(Opcode.RC_SEND_ONLY, 1, Payload.EMPTY), frame, at + TrunkReference.length(1), false);
        TrunkFlowTest.offer(rogue, frame, 100);
      }
      TrunkReference.put(frame, at, Payload.of(memory, 0, 64).lentBy(lease));
      for (Packet none : new Packet[] {packet(Opcode.RC_ACKNOWLEDGE, 1, Payload.EMPTY),
          plain(Opcode.RC_SEND_ONLY, 1, Payload.of(memory, 0, 8))}) { // It has no payload, or brings one too.
        int length = codec.encode(none, frame, at + TrunkReference.length(1), false);
        TrunkFlowTest.offer(rogue, frame, at + TrunkReference.length(1) + length);
      }
      t[1].port.awaitAssert(SOON, () -> {
        assertEquals(wrong.length + 2, t[1].cable.receiveCounters().discardedMalformed());
        return null;
      });
    }
    t[0].transmit(packet(Opcode.RC_SEND_ONLY, 5, Payload.of(memory, 0, 64)));
    t[1].expectPacket(5).release();
  }
}
