package dev.weft.dsm.node;

/**
 * The wait of an application thread for a result. The thread makes it; the node's actor ends it once: it stores the result first, then that the wait
 * is over.
 */
abstract sealed class Wait implements NodeCommand
    permits Fault, Waits.OfBarrier, Waits.OfCondition, Waits.OfCondition.Registered, Waits.OfJoin, Waits.OfLeave, Waits.OfLock, Waits.OfObject,
    Waits.OfRelease, Waits.OfReport, Waits.OfSnapshot {
  /** When the node's actor received it; used in the receive context. */
  long sinceNs;
  private String problem;
  private boolean nodeLost;
  private volatile boolean isOver;

  /** Any thread. */
  final boolean isOver() {
    return isOver;
  }

  /** Ends it with success. */
  final void end() {
    isOver = true;
    ended(null);
  }

  /** Ends it with an error. */
  final void fail(String why, boolean becauseOfALostNode) {
    problem = why;
    nodeLost = becauseOfALostNode;
    isOver = true;
    ended(why);
  }

  /** Called in the receive context when it is over; {@code problem} is null on success. */
  void ended(String problem) {
    // Threads check whether it is over.
  }

  /** Valid after {@link #isOver}. */
  final boolean hasFailed() {
    return problem != null;
  }

  /** Throws the error, if there is one; valid after {@link #isOver}. */
  final void check() {
    if (problem != null) {
      throw nodeLost ? new dev.weft.dsm.NodeLostException(problem) : new IllegalStateException(problem);
    }
  }
}
