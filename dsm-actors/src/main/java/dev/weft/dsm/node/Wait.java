package dev.weft.dsm.node;

/**
 * What a thread of the application waits for. Made by the thread, ended once by the node's actor, in this order: result, then that it is over.
 */
abstract sealed class Wait implements DsmNodeActor.Command
    permits Fault, Waits.OfBarrier, Waits.OfCondition, Waits.OfCondition.Registered, Waits.OfJoin, Waits.OfLeave, Waits.OfLock, Waits.OfObject,
    Waits.OfRelease, Waits.OfReport, Waits.OfSnapshot {
  /** When the node's actor heard of it; of the receive context. */
  long sinceNs;
  private String problem;
  private boolean nodeLost;
  private volatile boolean isOver;

  /** Any thread. */
  final boolean isOver() {
    return isOver;
  }

  /** It went well. */
  final void end() {
    isOver = true;
    ended(null);
  }

  /** It did not. */
  final void fail(String why, boolean becauseOfALostNode) {
    problem = why;
    nodeLost = becauseOfALostNode;
    isOver = true;
    ended(why);
  }

  /** It is over, in the receive context; {@code problem} is null if it went well. */
  void ended(String problem) {
    // Threads look whether it is over.
  }

  /** After {@link #isOver}. */
  final boolean hasFailed() {
    return problem != null;
  }

  /** Throws what happened, if it did not go well; after {@link #isOver}. */
  final void check() {
    if (problem != null) {
      throw nodeLost ? new dev.weft.dsm.NodeLostException(problem) : new IllegalStateException(problem);
    }
  }
}
