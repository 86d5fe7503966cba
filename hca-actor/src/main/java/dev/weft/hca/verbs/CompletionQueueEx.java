package dev.weft.hca.verbs;


/**
 * A completion queue whose entries are read field by field, in place, instead of being copied; as {@code ibv_cq_ex}. A batch is
 *
 * <pre>{@code
 * if (cq.startPoll()) {
 *   do {
 *     handle(cq.wrId(), cq.status());
 *   } while (cq.nextPoll());
 *   cq.endPoll();
 * }
 * }</pre>
 *
 * <p>Between {@code startPoll} and {@code endPoll} the queue belongs to the polling thread; other threads wait. A queue that was created single-threaded
 * has no lock, and its consumer must ensure that only one thread polls.
 */
public interface CompletionQueueEx {
  /** The queue itself, for creating queue pairs, arming and resizing. */
  CompletionQueue cq();

  /**
   * Begins a batch at the oldest completion. Returns false without beginning a batch if there is none.
   *
   * @throws VerbsException EBUSY if this thread has already begun a batch
   */
  boolean startPoll();

  /** Frees the entry and moves to the next one. Returns false if there is none; then only {@link #endPoll} may follow. */
  boolean nextPoll();

  /** Frees the entry, if there is one, and ends the batch. */
  void endPoll();

  long wrId();

  WcStatus status();

  WcOpcode opcode();

  int byteLen();

  boolean hasImm();

  int immData();

  boolean hasInvalidatedRkey();

  int invalidatedRkey();

  int qpNum();

  int srcLid();

  int vendorErr();

  /**
   * The time at which the HCA completed the request, in nanoseconds of the fabric's clock.
   *
   * @throws VerbsException EOPNOTSUPP if the queue was created without timestamps
   */
  long completionTimestampNs();
}
