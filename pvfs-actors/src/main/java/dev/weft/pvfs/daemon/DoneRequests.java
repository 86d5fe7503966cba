package dev.weft.pvfs.daemon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.agrona.collections.LongHashSet;

/**
 * Which changes one client has had done, over all of its connections: one that it sends again, because an answer was lost with a connection, is answered and
 * not done again. Twice its credits are enough. Answers go out in order, so that on one connection no more than {@code credits} changes are done after one
 * whose answer has not been handled; and on the next connection the client sends what was not answered before anything new, so that before a request comes
 * again, at most {@code credits} others are done.
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
  /** Came again while the first is under way. */
  final List<DaemonOperation> again = new ArrayList<>();
  int connections;
  /** When the last connection ended. */
  long leftNs;

  DoneRequests(int credits) {
    inOrder = new long[2 * credits];
  }

  /** Whether it came before, and is under way or done. */
  boolean knows(long id) {
    return done.contains(id) || underWay.contains(id);
  }

  /** What is known of it; a new one is under way from now on. */
  State begin(long id) {
    if (done.contains(id)) {
      return State.DONE;
    }
    return underWay.add(id) ? State.NEW : State.UNDER_WAY;
  }

  /**
   * One that was under way is over.
   *
   * @param wasDone whether it need not be done again
   * @param to gets those that waited for it
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
