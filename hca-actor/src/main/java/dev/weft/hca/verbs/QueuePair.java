package dev.weft.hca.verbs;

import java.util.List;

/**
 * A queue pair of one of the transport services of {@link QpType}. Posting copies the request into a preallocated ring and rings the
 * HCA's doorbell, unless the HCA is already processing this queue pair. Any thread; posts to one queue are serialised.
 *
 * <p>{@link QpInitAttr} sets the depths of the queues; a post to a full queue fails with ENOMEM.
 */
public interface QueuePair {
  int qpNum();

  QpType type();

  QpState state();

  /** Whether the queue pair is destroyed. */
  boolean isDestroyed();

  ProtectionDomain pd();

  Adapter hca();

  QpInitAttr initAttr();

  /** The number of send requests that are posted and not completed. Their slots may be in use longer, see {@link #sendSlotsTaken}. */
  int sendQueueSize();

  /**
   * The number of slots of the send queue in use. When it reaches the depth of the queue, the next post fails. A slot becomes free when the
   * completion of its request, or of a later one, is polled. So the next signaled request also frees the slots of unsignaled ones.
   */
  int sendSlotsTaken();

  /** The number of slots of the receive queue in use. A slot becomes free when the completion of its receive is polled. */
  int receiveSlotsTaken();

  /** The number of receives that are posted and not used. */
  int receiveQueueSize();

  /**
   * Posts a copy of the request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL for a wrong request, inline data whose memory was freed, or a state before RTS;
   *     EFAULT for inline data whose memory has no pages; ENODEV if the HCA was closed; then nothing is posted
   */
  void postSend(WorkRequest request);

  /**
   * Posts copies of the requests in order, with one doorbell, as {@code ibv_post_send} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postSend(WorkRequest)} for the first rejected request: the requests before it are posted; it and
   *     the later ones are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  void postSend(List<WorkRequest> requests);

  /**
   * Posts a copy of the receive request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL in RESET or with too many elements; ENODEV if the HCA was closed; then nothing is
   *     posted
   */
  void postReceive(ReceiveRequest request);

  /**
   * Posts copies of the receive requests in order, as {@code ibv_post_recv} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postReceive(ReceiveRequest)} for the first rejected request: the requests before it are posted; it
   *     and the later ones are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  void postReceive(List<ReceiveRequest> requests);

  /**
   * Changes the state or attributes; if it fails, nothing has changed.
   *
   * @throws VerbsException EINVAL if the transition is illegal, or an attribute is missing, superfluous or out of range
   */
  void modify(QpAttr attr);

  /** Returns the current attributes. */
  QpAttr query();
}
