package dev.weft.hca;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts completions of queue pairs without an entry in a completion queue, as {@code ibv_comp_cntr}. Attached for remote operations, it
 * counts at the target what peers have completed there, of which the target otherwise learns nothing.
 *
 * <p>Any thread reads; who sees a count sees the bytes of the operations counted.
 */
public final class CompletionCounter {
  /** Operations that can be counted; the remote ones are the peer's. */
  public enum Operation {
    /** Sends of all kinds: acknowledged, or on UC and UD handed to the link. */
    SEND,
    /** Receives, with and without immediate. */
    RECV,
    /** Atomic writes too. */
    RDMA_WRITE,
    RDMA_READ,
    ATOMIC,
    /** The last byte of a write of the peer is placed. */
    REMOTE_RDMA_WRITE,
    /** The last response to a read of the peer is on the link. */
    REMOTE_RDMA_READ,
    /** An atomic of the peer is executed. */
    REMOTE_ATOMIC
  }

  private final Hca hca;
  private final int number;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  /** Queue pairs and operations that it is attached to, and whether it is gone. Hardware thread. */
  int useCount;
  boolean destroyed;

  CompletionCounter(Hca hca, int number) {
    this.hca = hca;
    this.number = number;
  }

  /** Number of this counter within its HCA. */
  public int number() {
    return number;
  }

  Hca hca() {
    return hca;
  }

  /** Operations that completed, each once, however often its packets were sent. */
  public long count() {
    return count.get();
  }

  /** Own operations that completed in error, flushed ones included. What was refused to a peer is not counted. */
  public long errorCount() {
    return errors.get();
  }

  /** Adds to the count, as if so many more had completed; negative values count down. */
  public void add(long delta) {
    count.addAndGet(delta);
  }

  /** Sets both counts, in two steps: completions in between may be counted in one and not in the other. */
  public void set(long newCount, long newErrors) {
    count.set(newCount);
    errors.set(newErrors);
  }

  void completed(boolean success) {
    (success ? count : errors).getAndIncrement();
  }
}
