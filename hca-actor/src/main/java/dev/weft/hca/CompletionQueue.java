package dev.weft.hca;

/** STUB being written: a completion queue. */
public final class CompletionQueue {
  /** What {@link #arm} found. */
  public enum Armed {
    /** The next completion will be notified. */
    ARMED,
    /** Completions are waiting already; poll before waiting. The queue is armed all the same. */
    COMPLETIONS_WAITING
  }

  /** Fills {@code into} with up to its length of completions, oldest first; returns how many. Any thread. */
  public int poll(WorkCompletion[] into) {
    throw new UnsupportedOperationException();
  }

  /** Asks for one notification at the next completion (with {@code solicitedOnly}: solicited receive or error). */
  public Armed arm(boolean solicitedOnly) {
    throw new UnsupportedOperationException();
  }
}
