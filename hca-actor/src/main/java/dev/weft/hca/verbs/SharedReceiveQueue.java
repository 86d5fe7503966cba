package dev.weft.hca.verbs;

import java.util.List;

/**
 * Receives that several queue pairs share (specification volume 1, section 10.2.9): each message takes the oldest. An RC queue pair that
 * finds none answers RNR and is told, in turn with the others, when one is posted. Any thread.
 *
 * <p>Bound: {@link SrqAttr#maxWr} receives that are posted and not taken; one more is refused with ENOMEM.
 */
public interface SharedReceiveQueue {
  /** Number of this queue within its HCA. */
  int number();

  ProtectionDomain pd();

  Hca hca();

  /** Receives posted and not yet taken by a message. */
  int size();

  /** Sizes in force; the limit is 0 once its event has come. */
  SrqAttr query();

  /**
   * Arms the limit event: it comes once, when fewer than {@code newLimit} receives are posted; at once if that is so already. 0 disarms.
   *
   * @throws VerbsException EINVAL if the limit is negative or larger than {@code maxWr}
   */
  void arm(int newLimit);

  /**
   * Changes how many receives fit, and how many elements further ones may have; what is posted stays.
   *
   * @throws VerbsException EINVAL if {@code maxWr} is less than what is posted or than the limit, or either is more than the device
   *     allows
   */
  void resize(int maxWr, int newMaxSge);

  /**
   * Posts a copy of the receive request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL with too many elements or after destruction; nothing is posted then
   */
  void postReceive(ReceiveRequest request);

  /**
   * Posts copies of the receive requests in their order: as {@code ibv_post_srq_recv} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postReceive(ReceiveRequest)} for the first request that is refused: those before it are posted, it
   *     and those behind it are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  void postReceive(List<ReceiveRequest> requests);
}
