package dev.weft.fabric.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.RandomPackets;
import dev.weft.fabric.rules.Needs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapngWriterTest {
  private static final int STATISTICS_BLOCK = 5;
  private static final int PACKET_BLOCK = 6;
  private static final CaptureSettings SMALL = new CaptureSettings(CaptureSettings.MIN_BUFFER_BYTES, 400_000, CaptureSettings.MIN_QUEUE_BYTES);

  @TempDir
  private Path dir;

  private final RandomPackets packets = new RandomPackets(RandomPackets.seeded("PcapngWriterTest"));

  @Test
  void shouldWriteThePacketThatTheTrunkWouldCarryWithItsTime() throws IOException {
    Packet packet = packets.next(Opcode.RC_RDMA_WRITE_ONLY, 9);
    Path file = dir.resolve("one.pcapng");
    long nowNs = 0x1_2345_6789L;
    try (PcapngWriter writer = PcapngWriter.create(file, SMALL, 1_000_000_000_000_000_000L)) {
      writer.onPacket(nowNs, packet);
    }
    ByteBuffer block = find(read(file), PACKET_BLOCK);
    assertEquals(1_000_000_000_000_000_000L + nowNs,
        (long) block.getInt(12) << 32 | Integer.toUnsignedLong(block.getInt(16)));
    int transportLength = block.getInt(20) - 42;
    assertEquals(block.getInt(20), block.getInt(24));
    Packet decoded = new PacketCodec().decode(new UnsafeBuffer(block), 28 + 42, transportLength, packet.srcLid(),
        packet.dstLid(), packet.serviceLevel(), true, null);
    assertEquals(packet.toString(), decoded.toString());
  }

  @Test
  void shouldNeverExceedTheFileSizeAndSayWhatIsMissing() throws IOException {
    Path file = dir.resolve("full.pcapng");
    PcapngWriter writer = PcapngWriter.create(file, SMALL, 0);
    for (int i = 0; i < 1000; i++) {
      writer.onPacket(i, packets.next(Opcode.RC_SEND_ONLY, i));
    }
    writer.close();
    assertEquals(1000, writer.writtenCount() + writer.refusedCount());
    assertTrue(writer.refusedCount() > 0);
    assertTrue(Files.size(file) <= SMALL.maxFileBytes() && Files.size(file) > SMALL.maxFileBytes() - 2000);
    ByteBuffer all = read(file);
    assertEquals(writer.writtenCount(), count(all, PACKET_BLOCK));
    ByteBuffer statistics = find(all, STATISTICS_BLOCK);
    assertEquals(1000, statistics.getLong(24));
    assertEquals(writer.refusedCount(), statistics.getLong(36));
  }

  @Test
  void shouldCutAFrameAtTheLargestDatagramAndTellItsTrueLength() throws IOException {
    Path file = dir.resolve("jumbo.pcapng");
    try (PcapngWriter writer = PcapngWriter.create(file, SMALL, 0)) {
      for (int i = 0; i < 3; i++) {
        writer.onPacket(i, packets.next(Opcode.RC_RDMA_WRITE_ONLY, 65_536));
      }
    }
    ByteBuffer all = read(file);
    assertEquals(3, count(all, PACKET_BLOCK));
    ByteBuffer block = find(all, PACKET_BLOCK);
    assertEquals(14 + 65_535, block.getInt(20));
    assertEquals(14 + 20 + 8 + 12 + 16 + 65_536 + 4, block.getInt(24));
    assertEquals((short) 65_535, block.order(ByteOrder.BIG_ENDIAN).getShort(28 + 14 + 2));
  }

  @Test
  void shouldShowWhatWasFlushedBeforeItIsClosed() throws IOException {
    Path file = dir.resolve("flush.pcapng");
    try (PcapngWriter writer = PcapngWriter.create(file, SMALL, 0)) {
      writer.onPacket(1, packets.next(Opcode.RC_SEND_ONLY, 4));
      assertEquals(0, Files.size(file));
      writer.flush();
      assertEquals(1, count(read(file), PACKET_BLOCK));
    }
    assertEquals(1, count(read(file), PACKET_BLOCK));
  }

  @Test
  void shouldLeaveTheCaptureWholeWhenAPacketCannotBeEncoded() throws IOException {
    Path file = dir.resolve("bad.pcapng");
    Packet bad = new Packet(Opcode.RC_SEND_ONLY, 1, 2, 0, false, false, 0xffff, 1 << 24, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        Payload.EMPTY);
    PcapngWriter writer = PcapngWriter.create(file, SMALL, 0);
    assertThrows(IllegalArgumentException.class, () -> writer.onPacket(1, bad));
    writer.onPacket(2, packets.next(Opcode.RC_SEND_ONLY, 4));
    writer.close();
    writer.close();
    assertEquals(1, count(read(file), PACKET_BLOCK));
    assertThrows(IllegalStateException.class, () -> writer.onPacket(3, packets.next(Opcode.RC_SEND_ONLY, 4)));
  }

  @Test
  void shouldRefusePacketsAndReportTheErrorWhenTheDiskIsFull() throws IOException {
    Path full = Path.of("/dev/full");
    Needs.that(Files.isWritable(full), "/dev/full is not there, so a full disk cannot be had");
    PcapngWriter writer = PcapngWriter.create(full, SMALL, 0);
    for (int i = 0; i < 10; i++) {
      writer.onPacket(i, packets.next(Opcode.RC_SEND_ONLY, 40_000));
    }
    assertTrue(writer.refusedCount() > 0);
    assertThrows(UncheckedIOException.class, writer::flush);
    assertThrows(UncheckedIOException.class, writer::close);
  }

  @Test
  void shouldReadItsSettingsAndRefuseBadOnes() {
    CaptureSettings settings = CaptureSettings.from(ConfigFactory.load());
    assertEquals(new CaptureSettings(1 << 20, 1L << 30, 8 << 20), settings);
    assertThrows(IllegalArgumentException.class, () -> new CaptureSettings(131_071, 1L << 30, 1 << 20));
    assertThrows(IllegalArgumentException.class, () -> new CaptureSettings(Integer.MAX_VALUE, 1L << 30, 1 << 20));
    assertThrows(IllegalArgumentException.class, () -> new CaptureSettings(131_072, 1023, 1 << 20));
  }

  private static ByteBuffer read(Path file) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int count(ByteBuffer all, int type) {
    int count = 0;
    for (int at = 0; at < all.limit(); at += blockLength(all, at)) {
      count += all.getInt(at) == type ? 1 : 0;
    }
    return count;
  }

  private static ByteBuffer find(ByteBuffer all, int type) {
    int at = 0;
    while (all.getInt(at) != type) {
      at += blockLength(all, at);
    }
    return all.slice(at, blockLength(all, at)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int blockLength(ByteBuffer all, int at) {
    int length = all.getInt(at + 4);
    assertEquals(0, length & 3);
    assertEquals(length, all.getInt(at + length - 4), "block at " + at + " ends with another length");
    return length;
  }
}
