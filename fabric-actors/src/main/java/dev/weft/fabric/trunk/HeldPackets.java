package dev.weft.fabric.trunk;

import dev.weft.fabric.packet.Packet;
import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ExclusivePublication;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.ReadablePosition;
import org.agrona.concurrent.status.UnsafeBufferPosition;

/**
 * Packets that a trunk sent by reference and whose owner waits for the release. The peer may still read their bytes until its position, which
 * Aeron keeps in shared memory, has passed them. Bounded. Hardware thread.
 */
final class HeldPackets {
  /** Session and stream id in the key of a stream's counter, after the registration id. */
  private static final int SESSION_ID_OFFSET = 8;
  private static final int STREAM_ID_OFFSET = 12;

  private final CountersReader counters;
  private final ExclusivePublication publication;
  private final long bytesMax;
  private final Packet[] packets;
  private final long[] ends;
  private ReadablePosition peerPosition;
  private int head;
  private int count;
  private long bytes;

  /**
   * @param capacity largest number of packets, a power of two
   * @param bytesMax largest payload of all packets together, in bytes
   */
  HeldPackets(Aeron aeron, ExclusivePublication publication, int capacity, long bytesMax) {
    this.bytesMax = bytesMax;
    this.counters = aeron.countersReader();
    this.publication = publication;
    this.packets = new Packet[capacity];
    this.ends = new long[capacity];
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether it can hold one more packet of {@code length} bytes: it has room, and knows the position of the peer. */
  boolean hasRoom(int length) {
    if (peerPosition == null) {
      find();
    }
    return peerPosition != null && count < packets.length && bytes + length <= bytesMax;
  }

  private void find() {
    counters.forEach((counterId, typeId, keyBuffer, label) -> {
      if (typeId == AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID && keyBuffer.getInt(SESSION_ID_OFFSET) == publication.sessionId()
          && keyBuffer.getInt(STREAM_ID_OFFSET) == publication.streamId()) {
        peerPosition = new UnsafeBufferPosition(new UnsafeBuffer(counters.valuesBuffer()), counterId);
      }
    });
  }

  /** Keeps a packet until the peer has read to {@code endPosition}. */
  void hold(Packet packet, long endPosition) {
    int slot = (head + count++) & packets.length - 1;
    packets[slot] = packet;
    bytes += packet.payload().length();
    ends[slot] = endPosition;
  }

  /** Releases the packets that the peer has read. If the peer is gone, takes the rest back. Returns how many packets it released. */
  int releaseRead() {
    if (count == 0) {
      return 0;
    }
    if (!publication.isConnected()) {
      return releaseAll();
    }
    return releaseTo(peerPosition.getVolatile(), false);
  }

  /** Releases all packets. A peer that still reads them finds that they were taken back. */
  int releaseAll() {
    peerPosition = null;
    return releaseTo(Long.MAX_VALUE, true);
  }

  private int releaseTo(long position, boolean unread) {
    int released = 0;
    while (count > 0 && ends[head] <= position) {
      Packet packet = packets[head];
      packets[head] = null;
      head = (head + 1) & packets.length - 1;
      count--;
      released++;
      bytes -= packet.payload().length();
      if (unread) {
        packet.payload().lease().revoke();
      }
      packet.release();
    }
    return released;
  }
}
