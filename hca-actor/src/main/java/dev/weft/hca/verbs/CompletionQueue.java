package dev.weft.hca.verbs;


/**
 * A completion queue: a ring that the hardware thread fills and any thread may poll. {@link #arm} requests one notification. It runs the queue's handler
 * in the receive context with which the queue was created; for a queue that belongs to an actor, it is a message to that actor.
 *
 * <p>The queue holds at most {@link #capacity} completions. One more is an overrun: the queue stops, its queue pairs go to ERR, and an asynchronous event
 * reports it. Other queues are not affected.
 */
public interface CompletionQueue {
  /** The result of {@link #arm}. */
  enum Armed {
    /** The next completion causes a notification. */
    ARMED,
    /** Completions are already waiting; poll before waiting. The queue is armed in this case too. */
    COMPLETIONS_WAITING
  }

  /** The number of this queue within its HCA. */
  int number();

  /** The number of completions that fit. */
  int capacity();

  ReceiveContext context();

  Adapter hca();

  /** The number of notifications so far. */
  long notifications();

  /** The number of completions that wait to be polled. */
  int size();

  /** Whether the queue has overrun, because it was not polled in time. It then delivers no more completions. */
  boolean isOverrun();

  /** Polls completions into {@code into}, up to its length, oldest first; returns their number. Any thread. */
  int poll(WorkCompletion[] into);

  /** Polls one completion; returns whether there was one. Any thread. */
  boolean poll(WorkCompletion into);

  /**
   * Changes the capacity. Waiting completions stay, and polling may continue during the change.
   *
   * @throws VerbsException EINVAL if {@code cqe} is less than the number of waiting completions or more than the device allows
   */
  void resize(int cqe);

  /**
   * Requests one notification at the next completion; with {@code solicitedOnly}, at the next solicited receive or error. Arming an armed queue changes
   * nothing, except that arming for any completion overrides solicited only. Any thread.
   *
   * @throws VerbsException EINVAL for a queue that is destroyed or was created for POLLING; ENODEV if the HCA is closed and no completion is waiting
   */
  Armed arm(boolean solicitedOnly);

  /**
   * Cancels {@link #arm}: no completion causes a notification until the next arm. Returns false if the queue was not armed, because it has notified or
   * was never armed; in the first case the notification may still be on its way. Any thread.
   */
  boolean disarm();

  /** Notifies as if an armed completion had arrived, for a consumer that has stopped polling early without arming. Any thread. */
  void notifyAgain();

  /**
   * Sets a watcher that is called on the hardware thread after each completion, whether armed or not; null for none. For simulated polling consumers,
   * which must know when to poll. It must not block.
   */
  void watch(Runnable newWatcher);
}
