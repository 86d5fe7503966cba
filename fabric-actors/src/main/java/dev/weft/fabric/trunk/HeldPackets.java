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
 * Packets that left over a trunk by reference and whose owner waits for the release: until the peer's position, which Aeron keeps in
 * shared memory, has passed them it may still read their bytes. Bounded. Hardware thread.
 */
final class HeldPackets {
  /** Session and stream id in the key of a stream's counter, after the registration id. */
  private static final int SESSION_ID_OFFSET = 8;
  private static final int STREAM_ID_OFFSET = 12;

  private final CountersReader counters;
  private final ExclusivePublication publication;
  private final Packet[] packets;
  private final long[] ends;
  private ReadablePosition peerPosition;
  private int head;
  private int count;

  /** @param capacity packets, a power of two */
  HeldPackets(Aeron aeron, ExclusivePublication publication, int capacity) {
    this.counters = aeron.countersReader();
    this.publication = publication;
    this.packets = new Packet[capacity];
    this.ends = new long[capacity];
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether one more can be held: there is room, and it is known how far the peer has read. */
  boolean hasRoom() {
    if (peerPosition == null) {
      find();
    }
    return peerPosition != null && count < packets.length;
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
    ends[slot] = endPosition;
  }

  /** Releases what the peer has read; all if there is no peer any more. Returns how many. */
  int releaseRead() {
    if (count == 0) {
      return 0;
    }
    if (!publication.isConnected()) {
      peerPosition = null;
      return releaseTo(Long.MAX_VALUE);
    }
    return releaseTo(peerPosition.getVolatile());
  }

  /** The cable is taken away. */
  void releaseAll() {
    peerPosition = null;
    releaseTo(Long.MAX_VALUE);
  }

  private int releaseTo(long position) {
    int released = 0;
    while (count > 0 && ends[head] <= position) {
      Packet packet = packets[head];
      packets[head] = null;
      head = (head + 1) & packets.length - 1;
      count--;
      released++;
      packet.release();
    }
    return released;
  }
}
