package dev.weft.hca.verbs;

import java.util.List;

/**
 * A queue of receives that several queue pairs share (specification volume 1, section 10.2.9). Each message takes the oldest receive. An RC queue pair
 * that finds none sends an RNR NAK; when a receive is posted, the queue wakes the waiting queue pairs in turn. Any thread.
 *
 * <p>The queue holds at most {@link SrqAttr#maxWr} receives that are posted and not taken; a further post fails with ENOMEM.
 */
public interface SharedReceiveQueue {
  /** The number of this queue within its HCA. */
  int number();

  ProtectionDomain pd();

  Adapter hca();

  /** The number of receives that are posted and not taken by a message. */
  int size();

  /** Returns the current sizes; the limit is 0 after its event. */
  SrqAttr query();

  /**
   * Arms the limit event. It occurs once, when fewer than {@code newLimit} receives are posted; at once if that is already so. 0 disarms it.
   *
   * @throws VerbsException EINVAL if the limit is negative or larger than {@code maxWr}
   */
  void arm(int newLimit);

  /**
   * Changes the number of receives that fit, and the number of elements of later receives. Posted receives stay.
   *
   * @throws VerbsException EINVAL if {@code maxWr} is less than the number of posted receives or than the limit, or if either value is more than the
   *     device allows
   */
  void resize(int maxWr, int newMaxSge);

  /**
   * Posts a copy of the receive request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL with too many elements or after destruction; then nothing is posted
   */
  void postReceive(ReceiveRequest request);

  /**
   * Posts copies of the receive requests in order, as {@code ibv_post_srq_recv} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postReceive(ReceiveRequest)} for the first rejected request: the requests before it are posted; it
   *     and the later ones are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  void postReceive(List<ReceiveRequest> requests);
}
