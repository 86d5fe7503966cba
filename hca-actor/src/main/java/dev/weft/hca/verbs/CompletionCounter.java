package dev.weft.hca.verbs;


/**
 * Counts completions of queue pairs without an entry in a completion queue, as {@code ibv_comp_cntr}. Attached for remote operations, it
 * counts at the target what peers have completed there, of which the target otherwise learns nothing.
 *
 * <p>Any thread reads; who sees a count sees the bytes of the operations counted.
 */
public interface CompletionCounter {
  /** Operations that can be counted; the remote ones are the peer's. */
  enum Operation {
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

  /** Number of this counter within its HCA. */
  int number();

  /** Operations that completed, each once, however often its packets were sent. */
  long count();

  /** Own operations that completed in error, flushed ones included. What was refused to a peer is not counted. */
  long errorCount();

  /** Adds to the count, as if so many more had completed; negative values count down. */
  void add(long delta);

  /** Sets both counts, in two steps: completions in between may be counted in one and not in the other. */
  void set(long newCount, long newErrors);
}
