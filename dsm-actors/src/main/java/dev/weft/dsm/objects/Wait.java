package dev.weft.dsm.objects;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;

/**
 * The wait of an application thread for a result. The thread makes it; the node's actor ends it once: it stores the result first, then that the wait
 * is over.
 */
public abstract sealed class Wait implements NodeCommand
    permits Fault, Wait.OfBarrier, Wait.OfCondition, Wait.OfCondition.Registered, Wait.OfJoin, Wait.OfLeave, Wait.OfLock, Wait.OfObject,
    Wait.OfRelease, Wait.OfReport, Wait.OfSnapshot {
  /** When the node's actor received it; used in the receive context. */
  public long sinceNs;
  private String problem;
  private boolean nodeLost;
  private volatile boolean isOver;

  /** Any thread. */
  public final boolean isOver() {
    return isOver;
  }

  /** Ends it with success. */
  public final void end() {
    isOver = true;
    ended(null);
  }

  /** Ends it with an error. */
  public final void fail(String why, boolean becauseOfALostNode) {
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
  public final boolean hasFailed() {
    return problem != null;
  }

  /** Throws the error, if there is one; valid after {@link #isOver}. */
  public final void check() {
    if (problem != null) {
      throw nodeLost ? new NodeLostException(problem) : new IllegalStateException(problem);
    }
  }

  /** A wait for a lock, or for the release of a lock that others want. */
  public static final class OfLock extends Wait {
    public final int object;
    public final boolean isRelease;
    /** The wait timed out without the lock; read when it is over. */
    public boolean isCancelled;

    public OfLock(int object, boolean isRelease) {
      this.object = object;
      this.isRelease = isRelease;
    }

    /** Whether the lock was acquired. */
    boolean isServed() {
      return isOver() && !isCancelled && !hasFailed();
    }
  }

  /** A wait at a barrier. */
  public static final class OfBarrier extends Wait {
    public final int object;

    public OfBarrier(int object) {
      this.object = object;
    }
  }

  /** A wait for a signal. */
  public static final class OfCondition extends Wait {
    /** A wait until the home knows that the thread waits. */
    public static final class Registered extends Wait {}

    public final int object;
    public final Registered registered = new Registered();
    /** Used in the receive context. */
    public int ticket;
    public boolean isCancelled;

    public OfCondition(int object) {
      this.object = object;
    }
  }

  /** A wait for an object, or until an array is freed. */
  public static final class OfObject extends Wait {
    public final ObjectSpec wanted;
    /** The array to free; 0 to make or find an object. */
    public final int freed;
    /** Place in the program; empty if unknown. */
    public final String site;
    /** The object; read when it is over. */
    public ObjectSpec found;
    public DsmMessage.Refusal refusal;
    public String text;

    public OfObject(ObjectSpec wanted, int freed) {
      this(wanted, freed, "");
    }

    public OfObject(ObjectSpec wanted, int freed, String site) {
      this.site = site;
      this.wanted = wanted;
      this.freed = freed;
    }
  }

  /** A wait for membership. */
  public static final class OfJoin extends Wait {
    /** The number of this node; read when it is over. */
    public int number;
    /** It failed because a node was lost meanwhile, so another attempt may succeed. */
    public boolean isToBeTriedAgain;
  }

  /** A wait for the state of this node. */
  public static final class OfSnapshot extends Wait {
    /** Read when it is over. */
    public DsmSnapshot snapshot;
  }

  /** A wait for the detailed state of this node. */
  public static final class OfReport extends Wait {
    public final int max;
    /** Read when it is over. */
    public DsmReport report;

    public OfReport(int max) {
      this.max = max;
    }
  }

  /** A wait until all copies have the changes of this node's threads. */
  public static final class OfRelease extends Wait {
    /** Read when it is over. */
    public ReleaseCounts counts;
  }

  /** A wait for the end of membership. */
  public static final class OfLeave extends Wait {
    /** Leaves without giving anything away. */
    public final boolean isAtOnce;
    /** Leaves even if threads have locks, or arrays have release consistency; these are not given away, everything else is. */
    public final boolean isInAnyCase;
    /** Number of minipages that could not be given away; read when it is over. */
    public int left;

    private OfLeave(boolean isAtOnce, boolean isInAnyCase) {
      this.isAtOnce = isAtOnce;
      this.isInAnyCase = isInAnyCase;
    }

    public static OfLeave inOrder() {
      return new OfLeave(false, false);
    }

    public static OfLeave inAnyCase() {
      return new OfLeave(false, true);
    }

    public static OfLeave atOnce() {
      return new OfLeave(true, true);
    }
  }
}
