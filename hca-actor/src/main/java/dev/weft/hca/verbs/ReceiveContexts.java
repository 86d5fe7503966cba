package dev.weft.hca.verbs;

/**
 * Runs what completions wake in the context that their consumer chose (design section 4; seed 000 section 3.2). One for each host: in
 * real time it is threads, in virtual time the host's processors, which charge for it. The code that runs is the same.
 */
public interface ReceiveContexts {
  /**
   * Runs a handler in a context other than POLLING. Called by the hardware. Handlers of one completion queue never run at the same
   * time, because it has at most one notification outstanding.
   */
  void run(ReceiveContext context, Runnable handler);

  /** Runs, in process context, what a handler could not finish where it was: the second stage of the two-stage rule. */
  void defer(Runnable work);

  /** How long the calling handler still computes before what it posts now leaves, in nanoseconds. Not 0 in virtual time only. */
  default long precedingNs() {
    return 0;
  }

  /**
   * A consumer that looks at a completion ring again and again, stopped at first. {@code work} is called, never twice at a time, while
   * it is started and the ring is not empty.
   *
   * @param name tells pollers of a host apart
   */
  PollLoop pollLoop(String name, CompletionQueue cq, Runnable work);

  /** A polling consumer. Started and stopped by the owner of its queue, also from inside its work. */
  interface PollLoop {
    /** Starts to poll until stopped. */
    void start();

    /** Starts to poll; after {@code maxNs} nanoseconds stops by itself and then calls {@code tooLong} where work would be called. */
    void start(long maxNs, Runnable tooLong);

    /** Stops; when this returns, work is not being called and will not be, unless it is the caller. */
    void stop();

    /** Stops and gives everything back. */
    void close();
  }
}
