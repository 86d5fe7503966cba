package dev.weft.fabric.capture;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.RoceV2;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes packets to a pcapng file as Ethernet, IPv4, UDP port 4791, BTH and so on to the ICRC, as {@link RoceV2} maps
 * them, with nanosecond timestamps. Source: the pcapng draft (draft-ietf-opsawg-pcapng).
 *
 * <p>Bounds: the file never exceeds {@link CaptureSettings#maxFileBytes}; packets that no longer fit are counted, and
 * the count is written to the interface statistics when the file is closed. A frame ends at the largest IPv4 datagram
 * (65,535 bytes, so a payload of more than about 65,470 bytes): what is longer is cut there, its block tells the true
 * length, and what a tool takes for its ICRC are payload bytes.
 *
 * <p>Used by one thread at a time. A full buffer is written to the file on that thread, so a capture slows the real
 * clock's fabric down; it changes nothing in virtual time. A file that cannot be written does not stop the fabric: from
 * then on packets are refused and counted, and {@link #flush} and {@link #close} throw the error.
 */
public final class PcapngWriter implements PacketSink, AutoCloseable {
  private static final int SECTION_HEADER = 0x0a0d0d0a;
  private static final int INTERFACE_DESCRIPTION = 1;
  private static final int INTERFACE_STATISTICS = 5;
  private static final int ENHANCED_PACKET = 6;
  private static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
  private static final int LINKTYPE_ETHERNET = 1;
  private static final int OPTION_END = 0;
  private static final int OPTION_SHB_APPLICATION = 4;
  private static final int OPTION_IF_NAME = 2;
  private static final int OPTION_IF_TIMESTAMP_RESOLUTION = 9;
  private static final int OPTION_ISB_RECEIVED = 4;
  private static final int OPTION_ISB_DROPPED = 5;
  private static final byte NANOSECONDS = 9;

  private static final int HEADERS_LENGTH = RoceV2.ETHERNET_LENGTH + RoceV2.IPV4_LENGTH + RoceV2.UDP_LENGTH;
  private static final int MAX_FRAME_LENGTH = HEADERS_LENGTH + RoceV2.MAX_TRANSPORT_LENGTH;
  private static final int FRAME_OFFSET = 28;
  private static final int PACKET_BLOCK_OVERHEAD = FRAME_OFFSET + 4;
  private static final int STATISTICS_LENGTH = 24 + 12 + 12 + 4;

  private final FileChannel channel;
  private final long maxFileBytes;
  private final long epochNs;
  private final ByteBuffer buffer;
  private final UnsafeBuffer view;
  private final byte[] headers = new byte[HEADERS_LENGTH];
  private final PacketCodec codec = new PacketCodec();
  private long fileBytes;
  private long lastNs;
  private long writtenCount;
  private long refusedCount;
  private IOException failure;
  private boolean closed;

  private PcapngWriter(FileChannel channel, CaptureSettings settings, long epochNs) {
    this.channel = channel;
    this.maxFileBytes = settings.maxFileBytes();
    this.epochNs = epochNs;
    this.buffer = ByteBuffer.allocateDirect(settings.bufferBytes()).order(ByteOrder.LITTLE_ENDIAN);
    this.view = new UnsafeBuffer(buffer);
    this.lastNs = epochNs;
    putSectionHeader();
    putInterface();
    this.fileBytes = buffer.position();
  }

  /**
   * Creates the file, or empties it.
   *
   * @param epochNs nanoseconds from 1970 to the zero of the clock that {@code nowNs} comes from; 0 in virtual time
   * @throws IOException if the file cannot be opened for writing
   */
  public static PcapngWriter create(Path file, CaptureSettings settings, long epochNs) throws IOException {
    FileChannel channel = FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    return new PcapngWriter(channel, settings, epochNs);
  }

  /**
   * Appends a packet, or counts it if the file is full or cannot be written.
   *
   * @throws IllegalStateException after {@link #close}, or if the payload's owner has freed it
   * @throws IllegalArgumentException if a field of the packet does not fit its place on the wire
   */
  @Override
  public void onPacket(long nowNs, Packet packet) {
    if (closed) {
      throw new IllegalStateException("capture is closed, packet " + packet);
    }
    int transportLength = codec.encodedLength(packet);
    int frameLength = HEADERS_LENGTH + transportLength;
    int capturedLength = Math.min(frameLength, MAX_FRAME_LENGTH);
    int blockLength = PACKET_BLOCK_OVERHEAD + ((capturedLength + 3) & ~3);
    lastNs = epochNs + nowNs;
    if (PACKET_BLOCK_OVERHEAD + frameLength + 3 > buffer.remaining()) {
      drain();
    }
    if (failure != null || fileBytes + blockLength + STATISTICS_LENGTH > maxFileBytes) {
      refusedCount++;
      return;
    }
    putPacket(packet, transportLength, frameLength, capturedLength, blockLength);
    fileBytes += blockLength;
    writtenCount++;
  }

  /** The transport part goes first: if the codec refuses it, the buffer's position has not moved. */
  private void putPacket(Packet packet, int transportLength, int frameLength, int capturedLength, int blockLength) {
    int frame = buffer.position() + FRAME_OFFSET;
    codec.encode(packet, view, frame + HEADERS_LENGTH, true);
    RoceV2.putEthernet(headers, 0, packet.srcLid(), packet.dstLid());
    RoceV2.putIpUdp(headers, RoceV2.ETHERNET_LENGTH, packet.srcLid(), packet.dstLid(), packet.serviceLevel(),
        packet.destQp(), transportLength);
    buffer.putInt(ENHANCED_PACKET).putInt(blockLength).putInt(0);
    putTimestamp();
    buffer.putInt(capturedLength).putInt(frameLength).put(headers).position(frame + capturedLength);
    pad(capturedLength);
    buffer.putInt(blockLength);
  }

  /** Packets accepted: in the file or, before a flush, in the buffer. */
  public long writtenCount() {
    return writtenCount;
  }

  /** Packets that found the file full or broken. */
  public long refusedCount() {
    return refusedCount;
  }

  /**
   * Writes what has been gathered to the file.
   *
   * @throws UncheckedIOException if the file could not be written, now or earlier
   */
  public void flush() {
    if (!closed) {
      drain();
    }
    checkFailure();
  }

  /**
   * Writes the rest and the statistics. Calling it again does nothing.
   *
   * @throws UncheckedIOException if the file could not be written, now or earlier
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (channel) {
      if (buffer.remaining() < STATISTICS_LENGTH) {
        drain();
      }
      putStatistics();
      drain();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
    checkFailure();
  }

  private void checkFailure() {
    if (failure != null) {
      throw new UncheckedIOException(
          "the capture could not be written after " + fileBytes + " bytes; it is incomplete", failure);
    }
  }

  private void drain() {
    buffer.flip();
    try {
      while (failure == null && buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      failure = e;
    }
    buffer.clear();
  }

  private void putSectionHeader() {
    int start = beginBlock(SECTION_HEADER);
    buffer.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
    putOption(OPTION_SHB_APPLICATION, "Weft".getBytes(StandardCharsets.UTF_8));
    endBlock(start);
  }

  private void putInterface() {
    int start = beginBlock(INTERFACE_DESCRIPTION);
    buffer.putShort((short) LINKTYPE_ETHERNET).putShort((short) 0).putInt(0);
    putOption(OPTION_IF_NAME, "weft".getBytes(StandardCharsets.UTF_8));
    putOption(OPTION_IF_TIMESTAMP_RESOLUTION, new byte[] {NANOSECONDS});
    endBlock(start);
  }

  private void putStatistics() {
    int start = beginBlock(INTERFACE_STATISTICS);
    buffer.putInt(0);
    putTimestamp();
    putOption(OPTION_ISB_RECEIVED, writtenCount + refusedCount);
    putOption(OPTION_ISB_DROPPED, refusedCount);
    endBlock(start);
  }

  private void putTimestamp() {
    buffer.putInt((int) (lastNs >>> 32)).putInt((int) lastNs);
  }

  private void putOption(int code, byte[] value) {
    buffer.putShort((short) code).putShort((short) value.length).put(value);
    pad(value.length);
  }

  private void putOption(int code, long value) {
    buffer.putShort((short) code).putShort((short) Long.BYTES).putLong(value);
  }

  private int beginBlock(int type) {
    int start = buffer.position();
    buffer.putInt(type).putInt(0);
    return start;
  }

  private void endBlock(int start) {
    buffer.putInt(OPTION_END);
    int length = buffer.position() - start + Integer.BYTES;
    buffer.putInt(length).putInt(start + Integer.BYTES, length);
  }

  private void pad(int length) {
    for (int i = length; (i & 3) != 0; i++) {
      buffer.put((byte) 0);
    }
  }
}
