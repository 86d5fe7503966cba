package dev.weft.hca.verbs;


/**
 * A completion queue whose entries are read field by field, where they are, instead of copied; as {@code ibv_cq_ex}. A batch is
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
 * <p>Between {@code startPoll} and {@code endPoll} the queue belongs to the polling thread; others wait, unless the queue was created
 * single-threaded: then nothing is locked, and its consumer sees to it that one thread polls.
 */
public interface CompletionQueueEx {
  /** The queue itself, to create queue pairs with, to arm, to resize. */
  CompletionQueue cq();

  /**
   * Begins a batch at the oldest completion; false, and no batch is begun, if there is none.
   *
   * @throws VerbsException EBUSY if this thread has begun one already
   */
  boolean startPoll();

  /** Frees the entry and goes on to the next; false if there is none: then only {@link #endPoll} may follow. */
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
   * When the HCA completed the request, nanoseconds of the fabric's clock.
   *
   * @throws VerbsException EOPNOTSUPP if the queue was created without timestamps
   */
  long completionTimestampNs();
}
