package dev.weft.dsm.node;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;

/**
 * The wait of an application thread for a result. The thread makes it; the node's actor ends it once: it stores the result first, then that the wait
 * is over.
 */
abstract sealed class Wait implements NodeCommand
    permits Fault, Wait.OfBarrier, Wait.OfCondition, Wait.OfCondition.Registered, Wait.OfJoin, Wait.OfLeave, Wait.OfLock, Wait.OfObject,
    Wait.OfRelease, Wait.OfReport, Wait.OfSnapshot {
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
      throw nodeLost ? new NodeLostException(problem) : new IllegalStateException(problem);
    }
  }

  /** A wait for a lock, or for the release of a lock that others want. */
  static final class OfLock extends Wait {
    final int object;
    final boolean isRelease;
    /** The wait timed out without the lock; read when it is over. */
    boolean isCancelled;

    OfLock(int object, boolean isRelease) {
      this.object = object;
      this.isRelease = isRelease;
    }

    /** Whether the lock was acquired. */
    boolean isServed() {
      return isOver() && !isCancelled && !hasFailed();
    }
  }

  /** A wait at a barrier. */
  static final class OfBarrier extends Wait {
    final int object;

    OfBarrier(int object) {
      this.object = object;
    }
  }

  /** A wait for a signal. */
  static final class OfCondition extends Wait {
    /** A wait until the home knows that the thread waits. */
    static final class Registered extends Wait {}

    final int object;
    final Registered registered = new Registered();
    /** Used in the receive context. */
    int ticket;
    boolean isCancelled;

    OfCondition(int object) {
      this.object = object;
    }
  }

  /** A wait for an object, or until an array is freed. */
  static final class OfObject extends Wait {
    final ObjectSpec wanted;
    /** The array to free; 0 to make or find an object. */
    final int freed;
    /** Place in the program; empty if unknown. */
    final String site;
    /** The object; read when it is over. */
    ObjectSpec found;
    DsmMessage.Refusal refusal;
    String text;

    OfObject(ObjectSpec wanted, int freed) {
      this(wanted, freed, "");
    }

    OfObject(ObjectSpec wanted, int freed, String site) {
      this.site = site;
      this.wanted = wanted;
      this.freed = freed;
    }
  }

  /** A wait for membership. */
  static final class OfJoin extends Wait {
    /** The number of this node; read when it is over. */
    int number;
    /** It failed because a node was lost meanwhile, so another attempt may succeed. */
    boolean isToBeTriedAgain;
  }

  /** A wait for the state of this node. */
  static final class OfSnapshot extends Wait {
    /** Read when it is over. */
    DsmSnapshot snapshot;
  }

  /** A wait for the detailed state of this node. */
  static final class OfReport extends Wait {
    final int max;
    /** Read when it is over. */
    DsmReport report;

    OfReport(int max) {
      this.max = max;
    }
  }

  /** A wait until all copies have the changes of this node's threads. */
  static final class OfRelease extends Wait {
    /** Read when it is over. */
    ReleaseCounts counts;
  }

  /** A wait for the end of membership. */
  static final class OfLeave extends Wait {
    /** Leaves without giving anything away. */
    final boolean isAtOnce;
    /** Leaves even if threads have locks, or arrays have release consistency; these are not given away, everything else is. */
    final boolean isInAnyCase;
    /** Number of minipages that could not be given away; read when it is over. */
    int left;

    private OfLeave(boolean isAtOnce, boolean isInAnyCase) {
      this.isAtOnce = isAtOnce;
      this.isInAnyCase = isInAnyCase;
    }

    static OfLeave inOrder() {
      return new OfLeave(false, false);
    }

    static OfLeave inAnyCase() {
      return new OfLeave(false, true);
    }

    static OfLeave atOnce() {
      return new OfLeave(true, true);
    }
  }
}
