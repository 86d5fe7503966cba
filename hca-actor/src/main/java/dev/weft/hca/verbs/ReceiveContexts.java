package dev.weft.hca.verbs;

/**
 * Runs the handlers of completions in the contexts that their consumers chose (design section 4; Kernel DSM section 3.2). Each host has one instance.
 * In real time it uses threads; in virtual time it uses the host's processors, which charge for the work. The handlers are the same.
 */
public interface ReceiveContexts {
  /**
   * Runs a handler in a context other than POLLING. The hardware calls this. The handler of a completion queue never runs twice at the same
   * time, because the queue has at most one notification outstanding.
   */
  void run(ReceiveContext context, Runnable handler);

  /** Runs, in process context, the work that a handler could not finish in its own context: the second of the two stages. */
  void defer(Runnable work);

  /** The nanoseconds that the calling handler still computes before its posts take effect; not 0 only in virtual time. */
  default long precedingNs() {
    return 0;
  }

  /**
   * Creates a stopped loop that polls a completion ring. While it is started and the ring is not empty, it calls {@code work}, never twice at the same
   * time.
   *
   * @param name distinguishes the polling loops of a host
   */
  PollLoop pollLoop(String name, CompletionQueue cq, Runnable work);

  /** A polling consumer. The owner of its queue starts and stops it, also from within {@code work}. */
  interface PollLoop {
    /** Starts to poll until {@link #stop}. */
    void start();

    /** Starts to poll. If the ring is empty after {@code maxNs} nanoseconds, stops and calls {@code tooLong} in the context of {@code work}. */
    void start(long maxNs, Runnable tooLong);

    /** Stops. When this returns, {@code work} is not running and will not run, unless it is the caller. */
    void stop();

    /** Stops and releases all resources. */
    void close();
  }
}
