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
 * DMA requests of one endpoint, in memory that it shares with the driver (seed 003 section 3.4). The driver is called only when the
 * queue was empty; after that it takes requests by itself, round-robin with those of other endpoints. Requests of one queue are sent, and
 * end, in order. One that ends OK was delivered: the other NIC has said that all of it is there, and did not refuse any; where it goes to a
 * group, whose members do not answer, OK says that it has left. Any thread.
 */
public final class DmaQueue extends EventSource {
  private static final Logger LOG = LoggerFactory.getLogger(DmaQueue.class);

  private final Nic nic;
  private final int depth;
  private final ManyToOneConcurrentArrayQueue<DmaRequest> requests;
  /** Requests that the engine has taken and that were not told done, and those of them that were not told sent; in order. Hardware thread. */
  private final ArrayDeque<DmaRequest> taken = new ArrayDeque<>();
  private final ArrayDeque<DmaRequest> leaving = new ArrayDeque<>();
  /** The driver takes requests of this queue. */
  private final AtomicBoolean active = new AtomicBoolean();
  /** Requests that were offered and are not done. */
  private final AtomicInteger unfinished = new AtomicInteger();
  /** What the engine sends of this queue now. Hardware thread. */
  DmaRequest current;
  /** It is about to tell of what is done. Hardware thread. */
  boolean tellingDone;
  private volatile DmaHandler handler;
  private volatile DmaHandler sentHandler;
  private volatile long doneCount;
  private volatile long failedCount;

  DmaQueue(Nic nic, int depth) {
    this.nic = nic;
    this.depth = depth;
    requests = new ManyToOneConcurrentArrayQueue<>(depth);
  }

  /** Has {@code newHandler} told of each request when it has ended; null for nobody. */
  public DmaQueue onDone(DmaHandler newHandler) {
    handler = newHandler;
    return this;
  }

  /**
   * Has {@code newHandler} told of each request when its bytes have left and may change; null for nobody. What is stored from then on to the
   * same host arrives after them, or not at all. It comes before {@link #onDone}, which says whether they have arrived; its status says only
   * whether all were sent.
   */
  public DmaQueue onSent(DmaHandler newHandler) {
    sentHandler = newHandler;
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

  /** Whether another request may be taken: not if too many are not confirmed. */
  boolean mayTake() {
    return taken.size() < depth;
  }

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
    taken.add(next);
    leaving.add(next);
    return next;
  }

  /** Whether anybody hears of what is done. */
  boolean isToldOf() {
    return handler != null || queue != null;
  }

  /** Tells of requests that have left, in order. */
  void tellSent() {
    while (!leaving.isEmpty() && leaving.peek().isTaken) {
      tell(sentHandler, leaving.poll());
    }
  }

  /** Tells of requests that are done, in order. */
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
        LOG.error("the handler of a {} of {} failed", describe(), nic.name(), e); // It has failed its application, not the NIC.
      }
    }
  }

  @Override
  public String describe() {
    return "dma queue";
  }
}
