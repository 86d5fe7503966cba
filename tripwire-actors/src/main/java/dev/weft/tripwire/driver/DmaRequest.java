package dev.weft.tripwire.driver;

import dev.weft.tripwire.nic.Status;

import java.lang.foreign.MemorySegment;

/** One request of a DMA queue. Hardware thread, once taken. */
public final class DmaRequest {
  public final DmaRing queue;
  public final MappedAperture target;
  public final long targetOffset;
  public final MemorySegment source;
  public final long sourceOffset;
  public final int length;
  final long userData;
  /** Number of bytes sent; number of bursts whose bytes are still needed. */
  public int sent;
  /** Position of the flow after its last burst, once that was sent. */
  public int end;
  public int bursts;
  /** When the engine is set up for it, in nanoseconds. */
  public long readyAtNs;
  public Status status = Status.OK;
  /** The other NIC has all its bytes, or it has failed. */
  public boolean isConfirmed;
  /** Its bytes are no longer needed: the engine has been interrupted, or will be. */
  public boolean hasLeft;
  /** The interrupt has been handled. */
  public boolean isTaken;
  /** It is over; its queue reports it in order. */
  public boolean isDone;

  public DmaRequest(DmaRing queue, MappedAperture target, long targetOffset, MemorySegment source, long sourceOffset, int length,
      long userData) {
    this.queue = queue;
    this.target = target;
    this.targetOffset = targetOffset;
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.length = length;
    this.userData = userData;
  }

  public boolean allSent() {
    return sent == length || status != Status.OK;
  }
}
