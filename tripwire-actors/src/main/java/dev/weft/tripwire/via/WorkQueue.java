package dev.weft.tripwire.via;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;

/**
 * The send or the receive queue of a VI: descriptors on their way to the provider and back. Many threads post, one takes completed descriptors.
 * Bound: {@code queue-depth} descriptors are posted and not taken back.
 */
final class WorkQueue {
  private final Vi vi;
  private final boolean isReceive;
  private final int depth;
  private final CompletionQueue cq;
  private final Waiter waiter;
  private final AtomicInteger outstanding = new AtomicInteger();
  /** Number of completed descriptors that the completion queue has reported and that were not taken. */
  private final AtomicInteger announced = new AtomicInteger();
  private final ManyToOneConcurrentArrayQueue<ViaDescriptor> posted;
  private final OneToOneConcurrentArrayQueue<ViaDescriptor> done;

  WorkQueue(Vi vi, boolean isReceive, int depth, CompletionQueue cq, Waiter waiter) {
    this.vi = vi;
    this.isReceive = isReceive;
    this.depth = depth;
    this.cq = cq;
    this.waiter = waiter;
    posted = new ManyToOneConcurrentArrayQueue<>(depth);
    done = new OneToOneConcurrentArrayQueue<>(depth);
  }

  void post(ViaDescriptor descriptor) {
    if (descriptor.status() == ViaStatus.PENDING) {
      throw new ViaException(ViaResult.INVALID_PARAMETER, "the descriptor is posted already");
    }
    if (outstanding.getAndIncrement() >= depth) {
      outstanding.getAndDecrement();
      throw new ViaException(ViaResult.ERROR_RESOURCE, "the queue has " + depth + " descriptors; raise weft.tripwire.via.queue-depth");
    }
    descriptor.posted();
    if (!posted.offer(descriptor)) {
      throw new IllegalStateException("more descriptors than the queue is deep");
    }
  }

  /** Hardware thread. */
  ViaDescriptor take() {
    return posted.poll();
  }

  /** Completes a descriptor; descriptors complete in the order in which they were posted. Hardware thread. */
  void complete(ViaDescriptor descriptor, ViaStatus status, int length, Integer immediate, boolean isRdmaWrite) {
    descriptor.completed(status, length, immediate, isRdmaWrite);
    if (!done.offer(descriptor)) {
      throw new IllegalStateException("more descriptors done than posted");
    }
    if (cq != null) {
      cq.add(vi, isReceive);
    }
    waiter.wake();
  }

  boolean isIdle() {
    return outstanding.get() == 0;
  }

  CompletionQueue cq() {
    return cq;
  }

  /** The completion queue has reported one more descriptor. */
  void announce() {
    announced.getAndIncrement();
  }

  /** The oldest completed descriptor, or null. */
  ViaDescriptor poll() {
    ViaDescriptor descriptor = cq != null && announced.get() == 0 ? null : done.poll();
    if (descriptor != null) {
      outstanding.getAndDecrement();
      announced.getAndDecrement();
    }
    return descriptor;
  }

  ViaDescriptor await(long maxNs) {
    if (cq != null) {
      throw new ViaException(ViaResult.INVALID_STATE, "the queue has a completion queue: wait for that");
    }
    return waiter.await(() -> !done.isEmpty(), maxNs) ? poll() : null;
  }
}
