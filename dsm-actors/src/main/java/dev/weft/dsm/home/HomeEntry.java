package dev.weft.dsm.home;

import java.util.ArrayDeque;

/** The state of one minipage at its home. */
final class HomeEntry {
  enum Stage {
    /** Copies are being given up. */
    INVALIDATING,
    /** Data or a grant is on its way to the requester, who will confirm. */
    SERVING,
    /** The source of the data was lost; the requester is asked whether it came. */
    ASKING
  }

  /**
   * A request that waits for a minipage.
   *
   * @param mark -1 for a request for rights; otherwise {@code from} leaves and wants to know when others have the minipage, and the answer
   *     carries this number
   * @param isServedBefore whether this node has taken a copy for the leaving node
   * @param hops messages that the request took to get here
   * @param path bits of the nodes that have passed it on
   */
  record Request(int from, boolean isWrite, int mark, boolean isServedBefore, int hops, long path) {
    Request(int from, boolean isWrite) {
      this(from, isWrite, -1, false, 0, 0);
    }

    static Request toLeave(int from, int mark) {
      return new Request(from, false, mark, false, 0, 0);
    }

    Request servedBefore() {
      return new Request(from, isWrite, mark, true, hops, path);
    }
  }

  int owner;
  /** Bit n: node n has a copy; the owner has one, too. */
  long copies;
  /** Whether the owner may write. */
  boolean exclusive;
  /** Whether the owner could write when the current request, a read, was started. */
  boolean wasExclusive;
  boolean lost;
  int op;
  /** The request that is being served; null if none. */
  Request current;
  Stage stage;
  /** The node that sends the data of the current request; -1 if it needs none. */
  int source;
  /** Nodes that have not confirmed yet that they gave their copy up. */
  long invalidating;
  /** Nodes that this home told to give their copy up for the current request. */
  long invalidated;
  ArrayDeque<Request> waiting = new ArrayDeque<>(0);

  /** Another home was lost, and not all nodes have reported their rights yet. */
  boolean gathering;
  /** While {@link #gathering}: the minipage is new and unused, so only its home can have it. */
  boolean isNew;

  HomeEntry(int owner) {
    this.owner = owner;
    this.copies = bit(owner);
    this.exclusive = true;
  }

  /** An entry taken over from a lost home. */
  HomeEntry() {
    this.owner = -1;
    this.gathering = true;
  }

  /** Whether such a request of the node waits. */
  boolean hasWaiting(int from, boolean isWrite) {
    for (Request each : waiting) {
      if (each.from == from && each.isWrite == isWrite && each.mark < 0) {
        return true;
      }
    }
    return false;
  }

  /** Messages in sequence that the current request waits for. Messages of a node to itself do not count; a read by RDMA counts two. */
  int hops(int self, boolean isFetched) {
    int from = current.from;
    int givingUp = (invalidated & ~bit(self)) == 0 || !current.isWrite ? 0 : 2;
    int answer = source < 0 || isFetched ? hop(self, from) : hop(self, source) + hop(source, from);
    return current.hops + givingUp + answer + (isFetched ? 2 : 0);
  }

  /** The bit of a node in a set of nodes. */
  static long bit(int node) {
    return 1L << node;
  }

  private static int hop(int from, int to) {
    return from == to ? 0 : 1;
  }

  /** Appends all but {@link #op}, for checkers. */
  void appendState(StringBuilder to) {
    to.append(gathering ? isNew ? "n" : "g" : "");
    to.append(owner).append(',').append(copies).append(exclusive ? 'x' : current != null && wasExclusive ? 'y' : '-').append(lost ? 'l' : '-');
    for (Request request : waiting) {
      to.append(request.mark >= 0 ? 'M' : request.isWrite ? 'W' : 'R').append(request.from);
    }
    if (current != null) {
      to.append(':').append(current.isWrite ? 'W' : 'R').append(current.from).append(stage.ordinal()).append(',').append(source).append(',')
          .append(invalidating).append(',').append(invalidated);
    }
  }
}
