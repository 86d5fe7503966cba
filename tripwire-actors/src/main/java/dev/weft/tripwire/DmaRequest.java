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
  int bursts;
  /** When the engine has been set up for it, in nanoseconds. */
  long readyAtNs;
  Status status = Status.OK;
  /** Its queue has been told, or will be. */
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
