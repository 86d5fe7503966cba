package dev.weft.pvfs.daemon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.agrona.collections.LongHashSet;

/**
 * The changes that one client has had done, across all of its connections. If an answer was lost with a connection, the client repeats the request;
 * it is then answered and not done again. A record of twice the client's credits suffices. Answers go out in order, so on one connection at most
 * {@code credits} changes are done after one whose answer the client has not handled. On the next connection the client repeats unanswered requests
 * before new ones, so at most {@code credits} others are done before a request is repeated.
 */
final class DoneRequests {
  enum State {
    NEW,
    UNDER_WAY,
    DONE
  }

  private final LongHashSet done = new LongHashSet();
  private final long[] inOrder;
  private int count;
  private final LongHashSet underWay = new LongHashSet();
  /** Repeated while the first execution is under way. */
  final List<DaemonOperation> again = new ArrayList<>();
  int connections;
  /** When the last connection ended. */
  long leftNs;

  DoneRequests(int credits) {
    inOrder = new long[2 * credits];
  }

  /** Whether the request came before, and is under way or done. */
  boolean knows(long id) {
    return done.contains(id) || underWay.contains(id);
  }

  /** Returns the state of a request; a new one is under way from now on. */
  State begin(long id) {
    if (done.contains(id)) {
      return State.DONE;
    }
    return underWay.add(id) ? State.NEW : State.UNDER_WAY;
  }

  /**
   * A request that was under way has ended.
   *
   * @param wasDone whether it must not be done again
   * @param to gets repetitions that waited for it
   */
  void end(long id, boolean wasDone, Collection<DaemonOperation> to) {
    underWay.remove(id);
    if (wasDone) {
      int at = count++ % inOrder.length;
      if (count > inOrder.length) {
        done.remove(inOrder[at]);
        count = count == 2 * inOrder.length ? inOrder.length : count;
      }
      inOrder[at] = id;
      done.add(id);
    }
    again.removeIf(op -> op.request.id == id && to.add(op));
  }
}
