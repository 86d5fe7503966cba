package dev.weft.fabric.capture;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.RoceV2;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes packets to a pcapng file as Ethernet, IPv4, UDP port 4791, BTH and so on to the ICRC, as {@link RoceV2} maps
 * them, with nanosecond timestamps. Source: the pcapng draft (draft-ietf-opsawg-pcapng).
 *
 * <p>Bounds: the file never exceeds {@link CaptureSettings#maxFileBytes}. Packets that no longer fit are counted; {@link
 * #close} writes the count to the interface statistics. A frame that is longer than the largest IPv4 datagram (65,535
 * bytes, so a payload of more than about 65,470 bytes) is cut there. Its block has the true length, but tools take payload
 * bytes for its ICRC.
 *
 * <p>One thread at a time uses it. That thread writes full buffers to the file, so a capture slows a fabric in real time
 * down; in virtual time, it has no effect. If the file cannot be written, the fabric goes on: from then on, packets are
 * rejected and counted, and {@link #flush} and {@link #close} throw the error.
 */
public final class PcapngWriter implements PacketSink, AutoCloseable {
  private final FileChannel channel;
  private final long maxFileBytes;
  private final long epochNs;
  private final ByteBuffer buffer;
  private final UnsafeBuffer view;
  private final PacketBlock block = new PacketBlock();
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
    Pcapng.putSectionHeader(buffer);
    Pcapng.putInterface(buffer, "weft");
    this.fileBytes = buffer.position();
  }

  /**
   * Creates or empties the file.
   *
   * @param epochNs nanoseconds from 1970 to the zero of the clock of {@code nowNs}; 0 in virtual time
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
    int blockLength = block.length(packet, PacketBlock.NO_DIRECTION);
    lastNs = epochNs + nowNs;
    if (block.room(packet) > buffer.remaining()) {
      drain();
    }
    if (failure != null || fileBytes + blockLength + Pcapng.STATISTICS_LENGTH > maxFileBytes) {
      refusedCount++;
      return;
    }
    block.put(view, buffer.position(), lastNs, packet, PacketBlock.NO_DIRECTION);
    buffer.position(buffer.position() + blockLength);
    fileBytes += blockLength;
    writtenCount++;
  }

  /** Returns how many packets are in the file or, before a flush, in the buffer. */
  public long writtenCount() {
    return writtenCount;
  }

  /** Returns how many packets were rejected because the file was full or could not be written. */
  public long refusedCount() {
    return refusedCount;
  }

  /**
   * Writes the buffer to the file.
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
   * Writes the rest and the statistics. A second call has no effect.
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
      if (buffer.remaining() < Pcapng.STATISTICS_LENGTH) {
        drain();
      }
      Pcapng.putStatistics(buffer, 0, lastNs, writtenCount + refusedCount, refusedCount);
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
}
