package dev.weft.tripwire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DMA requests of one endpoint, in memory shared with the driver (CLAN, section 3.4). A request calls the driver only if the queue was empty;
 * otherwise the driver takes requests by itself, round-robin with other endpoints. Requests of one queue are sent, and end, in order. OK means
 * delivered: the other NIC has confirmed all bytes and refused none. For a group, whose members do not answer, OK means that the bytes have left. Any
 * thread.
 */
public final class DmaQueue extends EventSource {
  private static final Logger LOG = LoggerFactory.getLogger(DmaQueue.class);

  private final Driver nic;
  private final int depth;
  private final ManyToOneConcurrentArrayQueue<DmaRequest> requests;
  /** Requests that the engine has taken: not reported as done, and of these, not reported as sent; in order. Hardware thread. */
  private final ArrayDeque<DmaRequest> taken = new ArrayDeque<>();
  private final ArrayDeque<DmaRequest> leaving = new ArrayDeque<>();
  /** Whether the driver takes requests of this queue. */
  private final AtomicBoolean active = new AtomicBoolean();
  /** Number of requests that were offered and are not done. */
  private final AtomicInteger unfinished = new AtomicInteger();
  /** The request that the engine is sending. Hardware thread. */
  DmaRequest current;
  /** It is about to report requests as done. Hardware thread. */
  boolean tellingDone;
  private volatile DmaHandler handler;
  private volatile DmaHandler sentHandler;
  private volatile long doneCount;
  private volatile long failedCount;

  DmaQueue(Driver nic, int depth) {
    this.nic = nic;
    this.depth = depth;
    requests = new ManyToOneConcurrentArrayQueue<>(depth);
  }

  /** Calls {@code newHandler} when a request has ended; null removes the handler. */
  public DmaQueue onDone(DmaHandler newHandler) {
    handler = newHandler;
    return this;
  }

  /**
   * Calls {@code newHandler} when the bytes of a request have left and may change; null removes the handler. Later stores to the same host arrive
   * after these bytes, or not at all. The call precedes {@link #onDone}, which reports whether the bytes have arrived; its status only says whether
   * all were sent.
   */
  public DmaQueue onSent(DmaHandler newHandler) {
    sentHandler = newHandler;
    return this;
  }

  /**
   * Writes {@code length} bytes to another host. The bytes must not change until the request is done.
   *
   * @return false if the queue is full
   */
  public boolean write(RemoteAperture target, long targetOffset, MemorySegment source, long sourceOffset, int length,
      long userData) {
    Objects.checkFromIndexSize(sourceOffset, length, source.byteSize());
    ApertureMemory.checkShared(source);
    target.check(targetOffset, length, Rights.WRITE);
    if (length < 1 || target.nic() != nic) {
      throw new NicException(Status.INVALID, "a transfer of " + length + " bytes to " + target + " by the NIC of " + nic.name());
    }
    unfinished.incrementAndGet(); // Before other threads can see the request.
    if (!requests.offer(new DmaRequest(this, target, targetOffset, source, sourceOffset, length, userData))) {
      unfinished.decrementAndGet();
      return false;
    }
    if (active.compareAndSet(false, true)) {
      nic.callDriver(this);
    }
    return true;
  }

  /** Whether the next request calls the driver. */
  public boolean isIdle() {
    return !active.get();
  }

  /** Number of requests that are done, including failed ones. */
  public long done() {
    return doneCount;
  }

  /** Number of failed requests. */
  public long failed() {
    return failedCount;
  }

  /** Whether no request is queued, running, or done but not reported. */
  boolean hasFinished() {
    return unfinished.get() == 0;
  }

  int waiting() {
    return requests.size();
  }

  // The driver.

  /** Whether another request may be taken; false if too many are unconfirmed. */
  boolean mayTake() {
    return taken.size() < depth;
  }

  /** The next request; null if there is none: the next request then calls the driver again. */
  DmaRequest take() {
    DmaRequest next = requests.poll();
    while (next == null) {
      active.set(false);
      if (requests.isEmpty() || !active.compareAndSet(false, true)) {
        return null;
      }
      next = requests.poll();
    }
    taken.add(next);
    leaving.add(next);
    return next;
  }

  /** Whether a handler or event queue receives completions. */
  boolean isToldOf() {
    return handler != null || queue != null;
  }

  /** Reports requests whose bytes have left, in order. */
  void tellSent() {
    while (!leaving.isEmpty() && leaving.peek().isTaken) {
      tell(sentHandler, leaving.poll());
    }
  }

  /** Reports requests that are done, in order. */
  void tellDone() {
    while (!taken.isEmpty() && taken.peek().isDone) {
      completed(taken.poll());
    }
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // One writer.
  private void completed(DmaRequest request) {
    unfinished.decrementAndGet();
    doneCount = doneCount + 1;
    if (request.status != Status.OK) {
      failedCount = failedCount + 1;
    }
    post(1);
    tell(handler, request);
  }

  private void tell(DmaHandler to, DmaRequest request) {
    if (to != null) {
      try {
        to.onDone(request.userData, request.status);
      } catch (RuntimeException e) {
        LOG.error("the handler of a {} of {} failed", describe(), nic.name(), e); // The handler's error must not stop the NIC.
      }
    }
  }

  @Override
  public String describe() {
    return "dma queue";
  }
}
