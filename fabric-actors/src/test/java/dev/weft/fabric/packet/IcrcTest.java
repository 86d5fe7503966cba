package dev.weft.fabric.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class IcrcTest {
  /** Captured on a ConnectX-4 Lx (congestion notification); published with scapy's RoCE tests. */
  private static final String CONNECTX_CNP =
      "45c2003c718c4000401191610a0011010a001201" + "000012b700280000" + "8100ffff4000011800000000"
          + "00000000000000000000000000000000" + "82fd002a";

  /** An unreliable connected SEND_ONLY with two pad bytes between Mellanox ports; published with scapy's RoCE tests. */
  private static final String UC_SEND_ONLY =
      "45010040047840004011b4d5c0a80007c0a80007" + "c00012b7002caca2" + "2460ffff000000d300cf1710"
          + "4630818be28935d90e9a95505401be885e500000" + "78f353f3";

  private final Icrc icrc = new Icrc();

  @Test
  void shouldComputeTheIcrcOfACapturedCongestionNotification() {
    assertPublishedIcrc(CONNECTX_CNP);
  }

  @Test
  void shouldComputeTheIcrcOfACapturedSendWithPad() {
    assertPublishedIcrc(UC_SEND_ONLY);
  }

  private void assertPublishedIcrc(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    int length = bytes.length - Icrc.LENGTH;
    UnsafeBuffer heap = new UnsafeBuffer(bytes);
    int want = heap.getInt(length, ByteOrder.LITTLE_ENDIAN);
    assertEquals(want, icrc.ofDatagram(heap, 0, length));
    UnsafeBuffer direct = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length + 5));
    direct.putBytes(5, bytes);
    assertEquals(want, icrc.ofDatagram(direct, 5, length));
  }

  @Test
  void shouldIgnoreWhatRoutersChangeAndNothingElse() {
    byte[] bytes = HexFormat.of().parseHex(UC_SEND_ONLY);
    int length = bytes.length - Icrc.LENGTH;
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    int want = icrc.ofDatagram(buffer, 0, length);
    for (int i = 1; i < length; i++) {
      bytes[i] ^= 0x10;
      boolean variant = i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 || i == 32;
      assertEquals(variant, want == icrc.ofDatagram(buffer, 0, length), "byte " + i);
      bytes[i] ^= 0x10;
    }
  }

  @Test
  void shouldGiveATrunkTheIcrcOfItsDatagramForEveryLength() {
    RandomGenerator random = RandomPackets.seeded("IcrcTest");
    for (int length = PacketCodec.BTH_LENGTH; length < 70_000; length += length < 100 ? 4 : 4 * random.nextInt(500)) {
      byte[] datagram = new byte[28 + length];
      random.nextBytes(datagram);
      int srcLid = random.nextInt(0x10000);
      int dstLid = random.nextInt(0x10000);
      int destQp = random.nextInt(1 << 24);
      RoceV2.putIpUdp(datagram, 0, srcLid, dstLid, random.nextInt(16), destQp, length + Icrc.LENGTH);
      UnsafeBuffer buffer = new UnsafeBuffer(datagram);
      int want = maskedCrc(datagram);
      assertEquals(want, icrc.ofDatagram(buffer, 0, datagram.length), "length " + length);
      assertEquals(want, icrc.ofTransport(buffer, 28, length, srcLid, dstLid, destQp), "length " + length);
      assertNotEquals(want, icrc.ofTransport(buffer, 28, length, srcLid ^ 1, dstLid, destQp));
    }
  }

  /** The definition, in one piece and without the scratch. */
  private static int maskedCrc(byte[] datagram) {
    ByteBuffer all = ByteBuffer.allocate(8 + datagram.length).putLong(-1).put(datagram);
    for (int i : new int[] {1, 8, 10, 11, 26, 27, 32}) {
      all.put(8 + i, (byte) 0xff);
    }
    CRC32 crc = new CRC32();
    crc.update(all.array());
    return (int) crc.getValue();
  }

  @Test
  void shouldRefuseWhatIsNoDatagram() {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
    assertThrows(IllegalArgumentException.class, () -> icrc.ofDatagram(buffer, 0, 60));
    buffer.putByte(0, (byte) 0x45);
    assertThrows(IllegalArgumentException.class, () -> icrc.ofDatagram(buffer, 0, 39));
  }

  @Test
  void shouldWriteAValidIpChecksum() {
    byte[] datagram = new byte[28];
    for (int lid : new int[] {0, 1, 0x1234, 0xffff}) {
      RoceV2.putIpUdp(datagram, 0, lid, lid ^ 0x5555, 15, 0xabcdef, 4000 + lid);
      int sum = 0;
      for (int i = 0; i < 20; i += 2) {
        sum += (datagram[i] & 0xff) << 8 | datagram[i + 1] & 0xff;
      }
      assertEquals(0xffff, (sum & 0xffff) + (sum >>> 16));
    }
  }
}
