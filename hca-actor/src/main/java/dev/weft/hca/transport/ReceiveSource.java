package dev.weft.hca.transport;

/** The source of a responder's receives: the queue pair's own queue or a shared one. Hardware thread. */
interface ReceiveSource {
  boolean isEmpty();

  /** Returns the next receive to fill, the same one until {@link #done}; null if there is none. */
  ReceiveQueue.Wqe take();

  /** Removes the receive of {@link #take}, which has been used. */
  void done();

  /** Reports that the queue pair waits for a receive. The caller must check again afterwards, because one may have been posted in between. */
  void awaitPost();

  /** Returns the next receive to flush when the queue pair goes to ERR; call {@link #done} after it. Returns null if none is left. */
  ReceiveQueue.Wqe nextToFlush();

  /** Drops, without completions, the receives that only this queue pair could have used. */
  void discard();
}
