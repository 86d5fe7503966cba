package dev.weft.tripwire;

import java.lang.foreign.MemorySegment;

/** One request of a DMA queue. Hardware thread, once taken. */
final class DmaRequest {
  final DmaQueue queue;
  final RemoteAperture target;
  final long targetOffset;
  final MemorySegment source;
  final long sourceOffset;
  final int length;
  final long userData;
  /** Bytes that have left, bursts whose bytes are still needed. */
  int sent;
  /** Position of its flow behind its last burst, once that was sent. */
  int end;
  int bursts;
  /** When the engine has been set up for it, in nanoseconds. */
  long readyAtNs;
  Status status = Status.OK;
  /** The other NIC has all of it, or it has failed. */
  boolean isConfirmed;
  /** Its bytes are not needed any more: the engine has been interrupted, or will be. */
  boolean hasLeft;
  /** That was dealt with. */
  boolean isTaken;
  /** It is over; its queue tells in order. */
  boolean isDone;

  DmaRequest(DmaQueue queue, RemoteAperture target, long targetOffset, MemorySegment source, long sourceOffset, int length,
      long userData) {
    this.queue = queue;
    this.target = target;
    this.targetOffset = targetOffset;
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.length = length;
    this.userData = userData;
  }

  boolean allSent() {
    return sent == length || status != Status.OK;
  }
}
