package dev.weft.hca.verbs;

import java.util.List;

/**
 * A queue pair of one of the transport services of {@link QpType}. Posting copies the request into a preallocated ring and rings the
 * HCA's doorbell, unless the HCA is awake for this queue pair already. Any thread; posts to one queue are serialised.
 *
 * <p>Bounds: the queue depths of {@link QpInitAttr}; a post to a full queue is refused with ENOMEM.
 */
public interface QueuePair {
  int qpNum();

  QpType type();

  QpState state();

  /** Whether the queue pair is gone for good. */
  boolean isDestroyed();

  ProtectionDomain pd();

  Hca hca();

  QpInitAttr initAttr();

  /** Send requests posted and not yet completed. Their slots may be taken longer, see {@link #sendSlotsTaken}. */
  int sendQueueSize();

  /**
   * Slots of the send queue that are taken: the next post is refused when it is as many as the queue is deep. A slot comes back when the
   * completion of its request, or of a later one, is polled; those of unsignaled requests with the next signaled one.
   */
  int sendSlotsTaken();

  /** The same of the receive queue: a slot comes back when the completion of its receive is polled. */
  int receiveSlotsTaken();

  /** Receives posted and not yet consumed. */
  int receiveQueueSize();

  /**
   * Posts a copy of the request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL for a wrong request, inline data whose memory was freed, or a state before RTS;
   *     EFAULT for inline data whose memory has no pages; ENODEV if the HCA was closed; nothing is posted then
   */
  void postSend(WorkRequest request);

  /**
   * Posts copies of the requests in their order, with one doorbell: as {@code ibv_post_send} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postSend(WorkRequest)} for the first request that is refused: those before it are posted, it and
   *     those behind it are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  void postSend(List<WorkRequest> requests);

  /**
   * Posts a copy of the receive request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL in RESET or with too many elements; ENODEV if the HCA was closed; nothing is
   *     posted then
   */
  void postReceive(ReceiveRequest request);

  /**
   * Posts copies of the receive requests in their order: as {@code ibv_post_recv} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postReceive(ReceiveRequest)} for the first request that is refused: those before it are posted, it
   *     and those behind it are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  void postReceive(List<ReceiveRequest> requests);

  /**
   * Changes state or attributes; all or nothing.
   *
   * @throws VerbsException EINVAL if the transition is illegal, or an attribute is missing, superfluous or out of range
   */
  void modify(QpAttr attr);

  /** The attributes in force. */
  QpAttr query();
}
