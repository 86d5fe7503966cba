package dev.weft.tripwire;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DMA requests of one endpoint, in memory that it shares with the driver (seed 003 section 3.4). The driver is called only when the
 * queue was empty; after that it takes requests by itself, round-robin with those of other endpoints. Requests of one queue are sent in
 * order. Any thread.
 */
public final class DmaQueue extends EventSource {
  private static final Logger LOG = LoggerFactory.getLogger(DmaQueue.class);

  private final Nic nic;
  private final ManyToOneConcurrentArrayQueue<DmaRequest> requests;
  /** The driver takes requests of this queue. */
  private final AtomicBoolean active = new AtomicBoolean();
  /** Requests that were offered and are not done. */
  private final AtomicInteger unfinished = new AtomicInteger();
  /** What the engine sends of this queue now. Hardware thread. */
  DmaRequest current;
  private volatile DmaHandler handler;
  private volatile long doneCount;
  private volatile long failedCount;

  DmaQueue(Nic nic, int depth) {
    this.nic = nic;
    requests = new ManyToOneConcurrentArrayQueue<>(depth);
  }

  /** Has {@code newHandler} told of each request; null for nobody. */
  public DmaQueue onDone(DmaHandler newHandler) {
    handler = newHandler;
    return this;
  }

  /**
   * Writes {@code length} bytes to another host. They stay unchanged until the request is done.
   *
   * @return false if the queue is full
   */
  public boolean write(RemoteAperture target, long targetOffset, MemorySegment source, long sourceOffset, int length,
      long userData) {
    Objects.checkFromIndexSize(sourceOffset, length, source.byteSize());
    Tables.checkShared(source);
    target.check(targetOffset, length, Rights.WRITE);
    if (length < 1 || target.nic() != nic) {
      throw new NicException(Status.INVALID, "a transfer of " + length + " bytes to " + target + " by the NIC of " + nic.name());
    }
    unfinished.incrementAndGet(); // Before others can see the request.
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

  /** Requests that are done, also those that failed. */
  public long done() {
    return doneCount;
  }

  /** Requests that failed. */
  public long failed() {
    return failedCount;
  }

  /** Whether no request is queued, under way, or done without having been told. */
  boolean hasFinished() {
    return unfinished.get() == 0;
  }

  int waiting() {
    return requests.size();
  }

  // The driver.

  /** The next request, or null: then the next request calls the driver again. */
  DmaRequest take() {
    DmaRequest next = requests.poll();
    while (next == null) {
      active.set(false);
      if (requests.isEmpty() || !active.compareAndSet(false, true)) {
        return null;
      }
      next = requests.poll();
    }
    return next;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // One writer.
  void completed(DmaRequest request) {
    unfinished.decrementAndGet();
    doneCount = doneCount + 1;
    if (request.status != Status.OK) {
      failedCount = failedCount + 1;
    }
    post(1);
    DmaHandler to = handler;
    if (to != null) {
      try {
        to.onDone(request.userData, request.status);
      } catch (RuntimeException e) {
        LOG.error("the handler of a {} of {} failed", describe(), nic.name(), e); // It has failed its application, not the NIC.
      }
    }
  }

  @Override
  public String describe() {
    return "dma queue";
  }
}
