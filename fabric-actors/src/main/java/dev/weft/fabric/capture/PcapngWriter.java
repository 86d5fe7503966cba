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
