package dev.weft.hca.verbs;


/**
 * A completion queue: a ring that the hardware thread fills and any thread polls. {@link #arm} asks for one notification, which the
 * queue's actor delivers in the receive context that the queue was created with; one that belongs to an actor tells that instead.
 *
 * <p>Bound: {@link #capacity} completions. One more is an overrun: the queue stops, its queue pairs go to ERR, an asynchronous event
 * tells; other queues are not touched.
 */
public interface CompletionQueue {
  /** What {@link #arm} found. */
  enum Armed {
    /** The next completion will be notified. */
    ARMED,
    /** Completions are waiting already; poll before waiting. The queue is armed all the same. */
    COMPLETIONS_WAITING
  }

  /** Number of this queue within its HCA. */
  int number();

  /** Completions that fit. */
  int capacity();

  ReceiveContext context();

  Hca hca();

  /** How often it has notified. */
  long notifications();

  /** Completions waiting to be polled. */
  int size();

  /** Whether a completion was lost because nobody polled in time. The queue delivers nothing any more. */
  boolean isOverrun();

  /** Fills {@code into} with up to its length of completions, oldest first; returns how many. Any thread. */
  int poll(WorkCompletion[] into);

  /** Polls one completion; returns whether there was one. Any thread. */
  boolean poll(WorkCompletion into);

  /**
   * Changes how many completions fit; those that are there stay, and polling goes on meanwhile.
   *
   * @throws VerbsException EINVAL if {@code cqe} is less than what is there or more than the device allows
   */
  void resize(int cqe);

  /**
   * Asks for one notification at the next completion; with {@code solicitedOnly} at the next that is a solicited receive or an error.
   * Arming again before it fired changes nothing, except that any completion wins over solicited only. Any thread.
   *
   * @throws VerbsException EINVAL for a queue that is polled or destroyed; ENODEV if nothing is there and nothing will come, since the HCA was
   *     closed
   */
  Armed arm(boolean solicitedOnly);

  /**
   * Takes back {@link #arm}: no completion notifies until the next arm. False if the queue was not armed, because it has notified or
   * was never asked to; the notification may then still be on its way. Any thread.
   */
  boolean disarm();

  /** Notifies as if an armed completion had come: for a consumer that stopped half-way and is not armed. Any thread. */
  void notifyAgain();

  /**
   * Has {@code watcher} called on the hardware thread after each completion, whether armed or not; null ends it. For simulated
   * consumers that poll, which must be told when to look. It must not block.
   */
  void watch(Runnable newWatcher);
}
