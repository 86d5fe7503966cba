package dev.weft.dsm.node;

/** The waits of threads for results other than rights to minipages. */
final class Waits {
  private Waits() {}

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
    final dev.weft.dsm.wire.ObjectSpec wanted;
    /** The array to free; 0 to make or find an object. */
    final int freed;
    /** Place in the program; empty if unknown. */
    final String site;
    /** The object; read when it is over. */
    dev.weft.dsm.wire.ObjectSpec found;
    dev.weft.dsm.wire.DsmMessage.Refusal refusal;
    String text;

    OfObject(dev.weft.dsm.wire.ObjectSpec wanted, int freed) {
      this(wanted, freed, "");
    }

    OfObject(dev.weft.dsm.wire.ObjectSpec wanted, int freed, String site) {
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
    dev.weft.dsm.release.ReleaseCounts counts;
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
