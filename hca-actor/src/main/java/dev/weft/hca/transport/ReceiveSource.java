package dev.weft.hca.transport;

/** Where the responder of a queue pair takes its receives: a queue of its own, or one that it shares. Hardware thread. */
sealed interface ReceiveSource permits ReceiveQueue, Srq.Tap {
  boolean isEmpty();

  /** The receive to fill next, the same one until {@link #done}; null if there is none. */
  ReceiveQueue.Wqe take();

  /** The receive of {@link #take} is used up. */
  void done();

  /** The queue pair waits for a receive to be posted. The caller looks again afterwards: one may have come in between. */
  void awaitPost();

  /** The next receive that goes with its queue pair to ERR, to be followed by {@link #done}; null if there is none left. */
  ReceiveQueue.Wqe nextToFlush();

  /** Forgets, without completing them, the receives that only this queue pair could have used. */
  void discard();
}
