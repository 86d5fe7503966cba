package dev.weft.hca.verbs;


/**
 * Counts completions of queue pairs without entries in a completion queue, as {@code ibv_comp_cntr}. If it is attached for remote operations, it
 * counts the completed operations of peers at the target, which otherwise gets no notice of them.
 *
 * <p>Any thread may read it. A thread that sees a count also sees the bytes of the counted operations.
 */
public interface CompletionCounter {
  /** Operations that can be counted; the remote ones are the peer's. */
  enum Operation {
    /** All kinds of sends: when acknowledged, or on UC and UD when passed to the link. */
    SEND,
    /** Receives, with and without immediate. */
    RECV,
    /** RDMA Writes and atomic writes. */
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

  /** The number of this counter within its HCA. */
  int number();

  /** The number of completed operations. Retransmissions do not count. */
  long count();

  /** The number of own operations that completed with an error, including flushed ones. Rejected operations of peers do not count. */
  long errorCount();

  /** Adds {@code delta}, which may be negative, to the count. */
  void add(long delta);

  /** Sets both counts, in two steps: a completion in between may affect only one of them. */
  void set(long newCount, long newErrors);
}
