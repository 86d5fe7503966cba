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
  /** Number of bytes sent; number of bursts whose bytes are still needed. */
  int sent;
  /** Position of the flow after its last burst, once that was sent. */
  int end;
  int bursts;
  /** When the engine is set up for it, in nanoseconds. */
  long readyAtNs;
  Status status = Status.OK;
  /** The other NIC has all its bytes, or it has failed. */
  boolean isConfirmed;
  /** Its bytes are no longer needed: the engine has been interrupted, or will be. */
  boolean hasLeft;
  /** The interrupt has been handled. */
  boolean isTaken;
  /** It is over; its queue reports it in order. */
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
