package dev.weft.tripwire.driver;

import dev.weft.tripwire.nic.DmaHandler;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A DMA queue in memory shared with the driver. */
public final class DmaRing extends Source implements DmaQueue {
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
  public DmaRequest current;
  /** It is about to report requests as done. Hardware thread. */
  public boolean tellingDone;
  private volatile DmaHandler handler;
  private volatile DmaHandler sentHandler;
  private volatile long doneCount;
  private volatile long failedCount;

  DmaRing(Driver nic, int depth) {
    this.nic = nic;
    this.depth = depth;
    requests = new ManyToOneConcurrentArrayQueue<>(depth);
  }

  @Override
  public DmaRing onDone(DmaHandler newHandler) {
    handler = newHandler;
    return this;
  }

  @Override
  public DmaRing onSent(DmaHandler newHandler) {
    sentHandler = newHandler;
    return this;
  }

  @Override
  public boolean write(RemoteAperture target, long targetOffset, MemorySegment source, long sourceOffset, int length,
      long userData) {
    Objects.checkFromIndexSize(sourceOffset, length, source.byteSize());
    ApertureMemory.checkShared(source);
    MappedAperture mapped = (MappedAperture) target;
    mapped.check(targetOffset, length, Rights.WRITE);
    if (length < 1 || mapped.nic() != nic) {
      throw new NicException(Status.INVALID, "a transfer of " + length + " bytes to " + target + " by the NIC of " + nic.name());
    }
    unfinished.incrementAndGet(); // Before other threads can see the request.
    if (!requests.offer(new DmaRequest(this, mapped, targetOffset, source, sourceOffset, length, userData))) {
      unfinished.decrementAndGet();
      return false;
    }
    if (active.compareAndSet(false, true)) {
      nic.callDriver(this);
    }
    return true;
  }

  @Override
  public boolean isIdle() {
    return !active.get();
  }

  @Override
  public long done() {
    return doneCount;
  }

  @Override
  public long failed() {
    return failedCount;
  }

  /** Whether no request is queued, running, or done but not reported. */
  boolean hasFinished() {
    return unfinished.get() == 0;
  }

  public int waiting() {
    return requests.size();
  }

  // The driver.

  /** Whether another request may be taken; false if too many are unconfirmed. */
  public boolean mayTake() {
    return taken.size() < depth;
  }

  /** The next request; null if there is none: the next request then calls the driver again. */
  public DmaRequest take() {
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
  public boolean isToldOf() {
    return handler != null || queue != null;
  }

  /** Reports requests whose bytes have left, in order. */
  public void tellSent() {
    while (!leaving.isEmpty() && leaving.peek().isTaken) {
      tell(sentHandler, leaving.poll());
    }
  }

  /** Reports requests that are done, in order. */
  public void tellDone() {
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
