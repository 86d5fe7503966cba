package dev.weft.tripwire.nic;

import java.lang.foreign.MemorySegment;

/**
 * DMA requests of one endpoint, in memory shared with the driver (CLAN, section 3.4). A request calls the driver only if the queue was empty;
 * otherwise the driver takes requests by itself, round-robin with other endpoints. Requests of one queue are sent, and end, in order. OK means
 * delivered: the other NIC has confirmed all bytes and refused none. For a group, whose members do not answer, OK means that the bytes have left. Any
 * thread.
 */
public interface DmaQueue extends EventSource {
  /** Calls {@code newHandler} when a request has ended; null removes the handler. */
  DmaQueue onDone(DmaHandler newHandler);

  /**
   * Calls {@code newHandler} when the bytes of a request have left and may change; null removes the handler. Later stores to the same host arrive
   * after these bytes, or not at all. The call precedes {@link #onDone}, which reports whether the bytes have arrived; its status only says whether
   * all were sent.
   */
  DmaQueue onSent(DmaHandler newHandler);

  /**
   * Writes {@code length} bytes to another host. The bytes must not change until the request is done.
   *
   * @return false if the queue is full
   */
  boolean write(RemoteAperture target, long targetOffset, MemorySegment source, long sourceOffset, int length,
      long userData);

  /** Whether the next request calls the driver. */
  boolean isIdle();

  /** Number of requests that are done, including failed ones. */
  long done();

  /** Number of failed requests. */
  long failed();
}
