package dev.weft.fabric.packet;

import static dev.weft.fabric.packet.RandomPackets.assertSame;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.PacketFormatException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class PacketCodecTest {
  private static final int[] LENGTHS = {0, 1, 2, 3, 4, 5, 8, 63, 256, 1023, 4096, 65_536};

  private final PacketCodec codec = new PacketCodec();

  private static List<MutableDirectBuffer> buffers() {
    byte[] array = new byte[70_100];
    return List.of(
        new UnsafeBuffer(array, 50, 70_000),
        new UnsafeBuffer(ByteBuffer.wrap(array, 30, 70_050).slice(), 20, 70_000),
        new UnsafeBuffer(ByteBuffer.allocateDirect(70_001), 1, 70_000),
        new ExpandableArrayBuffer(16),
        new ExpandableDirectByteBuffer(16));
  }

  @Test
  void shouldGiveBackEveryOpcodeFromEveryKindOfBuffer() {
    RandomGenerator random = RandomPackets.seeded("PacketCodecTest");
    RandomPackets packets = new RandomPackets(random);
    for (MutableDirectBuffer buffer : buffers()) {
      for (int opcode : RandomPackets.OPCODES) {
        for (int payloadLength : LENGTHS) {
          Packet packet = packets.next(opcode, payloadLength);
          int offset = random.nextInt(100);
          int length = codec.encode(packet, buffer, offset, true);
          assertEquals(codec.encodedLength(packet), length);
          assertSame(packet, decode(buffer, offset, length, packet));
        }
      }
    }
  }

  private Packet decode(MutableDirectBuffer buffer, int offset, int length, Packet like) {
    return codec.decode(buffer, offset, length, like.srcLid(), like.dstLid(), like.serviceLevel(), true, null);
  }

  @Test
  void shouldWriteTheBytesOfTheSpecification() {
    MemorySegment data = MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5});
    Packet packet = new Packet(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM, 1, 2, 0, true, true, 0xffff, 0x123456, 0xabcdef,
        0x1122334455667788L, 0x99aabbcc, 5, 0, 0, 0xdeadbeef, 0, 0, Payload.of(data, 0, 5));
    assertWire("0bf0ffff00123456" + "80abcdef" + "1122334455667788" + "99aabbcc" + "00000005" + "deadbeef"
        + "0102030405000000" + "00000000", packet);
    Packet compareSwap = new Packet(Opcode.RC_CMP_SWAP, 1, 2, 0, false, false, 0x8001, 7, 9, 0x10, 0x20, 0, 0, 0, 0,
        0x30, 0x40, Payload.EMPTY);
    assertWire("134080010000000700000009" + "0000000000000010" + "00000020" + "0000000000000030"
        + "0000000000000040" + "00000000", compareSwap);
    Packet atomicAck = new Packet(Opcode.RC_ATOMIC_ACKNOWLEDGE, 1, 2, 0, false, false, 0xffff, 7, 9, 0, 0, 0, 0x1f,
        0x030201, 0, -2, 0, Payload.EMPTY);
    assertWire("1240ffff0000000700000009" + "1f030201" + "fffffffffffffffe" + "00000000", atomicAck);
    Packet datagram = new Packet(Opcode.UD_SEND_ONLY_WITH_IMM, 1, 2, 0, true, false, 0xffff, 0xffffff, 9, 0, 0, 0, 0, 0,
        0xdeadbeef, 0, 0, 0x80010203, 0x040506, Payload.of(data, 0, 4));
    assertWire("65c0ffff00ffffff00000009" + "80010203" + "00040506" + "deadbeef" + "01020304" + "00000000", datagram);
    Packet unreliable = new Packet(Opcode.UC_RDMA_WRITE_FIRST, 1, 2, 0, false, false, 0xffff, 7, 9, 0x10, 0x20, 8, 0, 0, 0, 0, 0,
        Payload.of(data, 0, 4));
    assertWire("2640ffff0000000700000009" + "0000000000000010" + "00000020" + "00000008" + "01020304" + "00000000", unreliable);
  }

  private void assertWire(String hex, Packet packet) {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[100]);
    buffer.setMemory(0, 100, (byte) 0x77);
    int length = codec.encode(packet, buffer, 0, false);
    assertEquals(hex, HexFormat.of().formatHex(buffer.byteArray(), 0, length));
    assertEquals(0x77, buffer.getByte(length), "written past the end");
  }

  @Test
  void shouldGatherAScatteredPayloadFromHeapAndNativeSegments() {
    RandomGenerator random = RandomPackets.seeded("PacketCodecTest");
    RandomPackets packets = new RandomPackets(random);
    try (Arena arena = Arena.ofConfined()) {
      for (MutableDirectBuffer buffer : buffers()) {
        for (int pieces = 1; pieces <= 16; pieces++) {
          Payload payload = scatter(random, arena, pieces);
          Packet packet = packets.with(Opcode.RC_SEND_ONLY, payload);
          int length = codec.encode(packet, buffer, 4, true);
          assertSame(packet, decode(buffer, 4, length, packet));
        }
      }
    }
  }

  private static Payload scatter(RandomGenerator random, Arena arena, int pieces) {
    Payload payload = null;
    for (int i = 0; i < pieces; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      MemorySegment heap = MemorySegment.ofArray(bytes);
      MemorySegment segment = random.nextBoolean() ? heap : arena.allocate(bytes.length + 1L).copyFrom(heap);
      payload = Payload.of(segment, 0, bytes.length, payload);
    }
    return payload;
  }

  @Test
  void shouldReferToTheBufferInPlaceWhenDecoding() {
    byte[] one = {42};
    Packet packet = new RandomPackets(RandomPackets.seeded("PacketCodecTest"))
        .with(Opcode.RC_SEND_ONLY, Payload.of(MemorySegment.ofArray(one), 0, 1));
    for (MutableDirectBuffer buffer : buffers()) {
      int length = codec.encode(packet, buffer, 8, true);
      Packet decoded = decode(buffer, 8, length, packet);
      buffer.putByte(8 + PacketCodec.BTH_LENGTH, (byte) 43);
      assertArrayEquals(new byte[] {43}, RandomPackets.bytes(decoded.payload()));
    }
  }

  @Test
  void shouldTellTheOwnerOnceWhenAPacketIsReleasedWithOrWithoutPayload() {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[200]);
    RandomPackets packets = new RandomPackets(RandomPackets.seeded("PacketCodecTest"));
    for (int opcode : new int[] {Opcode.RC_SEND_ONLY, Opcode.RC_ACKNOWLEDGE}) {
      int length = codec.encode(packets.next(opcode, 8), buffer, 0, false);
      AtomicInteger released = new AtomicInteger();
      Packet decoded = codec.decode(buffer, 0, length, 1, 2, 0, false, released::incrementAndGet);
      assertEquals(0, released.get());
      decoded.release();
      assertEquals(1, released.get());
    }
    int length = codec.encode(packets.next(Opcode.RC_ACKNOWLEDGE, 0), buffer, 0, false);
    assertSame(Payload.EMPTY, codec.decode(buffer, 0, length, 1, 2, 0, false, null).payload());
  }

  @Test
  void shouldRefuseAnySingleFlippedBitByItsIcrc() {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[200]);
    Packet packet = new RandomPackets(RandomPackets.seeded("PacketCodecTest")).next(Opcode.RC_RDMA_WRITE_ONLY, 8);
    int length = codec.encode(packet, buffer, 0, true);
    for (int bit = 0; bit < length * 8; bit++) {
      flip(buffer, bit);
      assertThrows(PacketFormatException.class, () -> decode(buffer, 0, length, packet));
      flip(buffer, bit);
    }
    assertSame(packet, decode(buffer, 0, length, packet));
    PacketFormatException e = assertThrows(PacketFormatException.class,
        () -> codec.decode(buffer, 0, length, packet.srcLid() ^ 1, packet.dstLid(), 0, true, null));
    assertEquals(Reason.ICRC, e.reason());
    assertEquals(0, e.getStackTrace().length);
  }

  private static void flip(UnsafeBuffer buffer, int bit) {
    buffer.putByte(bit >>> 3, (byte) (buffer.getByte(bit >>> 3) ^ 1 << (bit & 7)));
  }

  @Test
  void shouldSayWhatIsWrongWithMalformedBytes() {
    assertRefused(Reason.LENGTH, "15 bytes", "0440ffff0000000700000009000000");
    assertRefused(Reason.LENGTH, "18 bytes", "0440ffff0000000700000009000000000000");
    assertRefused(Reason.LENGTH, "RDMA_WRITE_ONLY of 16 bytes, must be at least 32", "0a40ffff000000070000000900000000");
    assertRefused(Reason.OPCODE, "0x15", "1540ffff000000070000000900000000");
    assertRefused(Reason.OPCODE, "0x81", "8140ffff000000070000000900000000");
    assertRefused(Reason.VERSION, "version 3, want 0", "0443ffff000000070000000900000000");
    assertRefused(Reason.RESERVED, "migrated=0", "0400ffff000000070000000900000000");
    assertRefused(Reason.RESERVED, "congestion=0x40", "0440ffff400000070000000900000000");
    assertRefused(Reason.RESERVED, "reserved=0x1", "0440ffff000000070100000900000000");
    assertRefused(Reason.PAD, "pad count 1", "0450ffff000000070000000900000000");
    assertRefused(Reason.PAD, "pad byte 0xcc", "0460ffff0000000700000009aabbcc0000000000");
    assertRefused(Reason.PAYLOAD, "ACKNOWLEDGE with 4 bytes", "1140ffff0000000700000009000000000000000000000000");
    String tooLong = "0440ffff0000000700000009" + "00".repeat(65_540) + "00000000";
    assertRefused(Reason.TOO_LONG, "65540 bytes, want at most 65536", tooLong);
  }

  private void assertRefused(Reason reason, String part, String hex) {
    UnsafeBuffer buffer = new UnsafeBuffer(HexFormat.of().parseHex(hex));
    Runnable notYours = () -> {
      throw new AssertionError("released although refused");
    };
    PacketFormatException e = assertThrows(PacketFormatException.class,
        () -> codec.decode(buffer, 0, buffer.capacity(), 1, 2, 0, false, notYours));
    assertEquals(reason, e.reason(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void shouldRefuseToEncodeFieldsThatDoNotFit() {
    Payload four = Payload.of(MemorySegment.ofArray(new byte[4]), 0, 4);
    Payload large = Payload.of(MemorySegment.ofArray(new byte[65_537]), 0, 65_537);
    assertUnencodable(Opcode.RC_SEND_ONLY, 0xffff, 1 << 24, 0, 0, 0, Payload.EMPTY);
    assertUnencodable(Opcode.RC_SEND_ONLY, 0xffff, 0, -1, 0, 0, Payload.EMPTY);
    assertUnencodable(Opcode.RC_SEND_ONLY, 0x10000, 0, 0, 0, 0, Payload.EMPTY);
    assertUnencodable(Opcode.RC_ACKNOWLEDGE, 0xffff, 0, 0, 0x100, 0, Payload.EMPTY);
    assertUnencodable(Opcode.RC_ACKNOWLEDGE, 0xffff, 0, 0, 0, 1 << 24, Payload.EMPTY);
    assertUnencodable(Opcode.RC_ACKNOWLEDGE, 0xffff, 0, 0, 0, 0, four);
    assertUnencodable(Opcode.RC_SEND_ONLY, 0xffff, 0, 0, 0, 0, large);
    assertUnencodable(0x15, 0xffff, 0, 0, 0, 0, Payload.EMPTY);
  }

  private void assertUnencodable(int opcode, int pkey, int destQp, int psn, int syndrome, int msn, Payload payload) {
    Packet packet = new Packet(
        opcode, 1, 2, 0, false, false, pkey, destQp, psn, 0, 0, 0, syndrome, msn, 0, 0, 0, payload);
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[70_000]);
    assertThrows(IllegalArgumentException.class, () -> codec.encode(packet, buffer, 0, true));
  }

  @Test
  void shouldRefuseARangeOutsideTheBuffer() {
    Packet packet = new RandomPackets(RandomPackets.seeded("PacketCodecTest")).next(Opcode.RC_SEND_ONLY, 8);
    UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(24));
    assertEquals(24, codec.encode(packet, buffer, 0, true));
    for (int offset : new int[] {-1, 1, 25, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThrows(IndexOutOfBoundsException.class, () -> codec.encode(packet, buffer, offset, true));
      assertThrows(IndexOutOfBoundsException.class, () -> decode(buffer, offset, 24, packet));
    }
    assertThrows(IndexOutOfBoundsException.class, () -> decode(buffer, 0, -1, packet));
  }
}
