package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;

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
public final class CompletionQueueEx {
  private final CompletionQueue cq;
  private final boolean timestamps;
  private WorkCompletion current;

  CompletionQueueEx(CompletionQueue cq, boolean timestamps) {
    this.cq = cq;
    this.timestamps = timestamps;
  }

  /** The queue itself, to create queue pairs with, to arm, to resize. */
  public CompletionQueue cq() {
    return cq;
  }

  /**
   * Begins a batch at the oldest completion; false, and no batch is begun, if there is none.
   *
   * @throws VerbsException EBUSY if this thread has begun one already
   */
  public boolean startPoll() {
    WorkCompletion first = cq.startPoll();
    if (first == null) {
      return false;
    }
    current = first;
    return true;
  }

  /** Frees the entry and goes on to the next; false if there is none: then only {@link #endPoll} may follow. */
  public boolean nextPoll() {
    current();
    current = cq.nextPoll();
    return current != null;
  }

  /** Frees the entry, if there is one, and ends the batch. */
  public void endPoll() {
    boolean consumed = current != null;
    current = null;
    cq.endPoll(consumed);
  }

  private WorkCompletion current() {
    WorkCompletion wc = current;
    if (wc == null) {
      throw new VerbsException(Errno.EINVAL, "no completion is being read; call startPoll or nextPoll, which must answer true");
    }
    return wc;
  }

  public long wrId() {
    return current().wrId();
  }

  public WcStatus status() {
    return current().status();
  }

  public WcOpcode opcode() {
    return current().opcode();
  }

  public int byteLen() {
    return current().byteLen();
  }

  public boolean hasImm() {
    return current().hasImm();
  }

  public int immData() {
    return current().immData();
  }

  public boolean hasInvalidatedRkey() {
    return current().hasInvalidatedRkey();
  }

  public int invalidatedRkey() {
    return current().invalidatedRkey();
  }

  public int qpNum() {
    return current().qpNum();
  }

  public int srcLid() {
    return current().srcLid();
  }

  public int vendorErr() {
    return current().vendorErr();
  }

  /**
   * When the HCA completed the request, nanoseconds of the fabric's clock.
   *
   * @throws VerbsException EOPNOTSUPP if the queue was created without timestamps
   */
  public long completionTimestampNs() {
    if (!timestamps) {
      throw new VerbsException(Errno.EOPNOTSUPP, cq + " was created without timestamps");
    }
    return current().timestampNs;
  }
}
