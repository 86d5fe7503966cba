package dev.weft.dsm.node;

/** What threads wait for, other than rights in minipages. */
final class Waits {
  private Waits() {}

  /** A lock; or to give one back that others want. */
  static final class OfLock extends Wait {
    final int object;
    final boolean isRelease;
    /** It waited too long, and has not got it; read when it is over. */
    boolean isCancelled;

    OfLock(int object, boolean isRelease) {
      this.object = object;
      this.isRelease = isRelease;
    }

    /** Whether it was acquired. */
    boolean isServed() {
      return isOver() && !isCancelled && !hasFailed();
    }
  }

  /** A barrier. */
  static final class OfBarrier extends Wait {
    final int object;

    OfBarrier(int object) {
      this.object = object;
    }
  }

  /** A signal. */
  static final class OfCondition extends Wait {
    /** That its home knows that it waits. */
    static final class Registered extends Wait {}

    final int object;
    final Registered registered = new Registered();
    /** Of the receive context. */
    int ticket;
    boolean isCancelled;

    OfCondition(int object) {
      this.object = object;
    }
  }

  /** An object of a name; or that an array is given back. */
  static final class OfObject extends Wait {
    final dev.weft.dsm.wire.ObjectSpec wanted;
    /** The array to give back; 0 to make or find an object. */
    final int freed;
    /** Where in the program; empty if that is not known. */
    final String site;
    /** What was found; read when it is over. */
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

  /** To be a member. */
  static final class OfJoin extends Wait {
    /** The number of this node; read when it is over. */
    int number;
    /** It failed because a node was lost meanwhile: it may be tried again. */
    boolean isToBeTriedAgain;
  }

  /** The state of this node. */
  static final class OfSnapshot extends Wait {
    /** Read when it is over. */
    DsmSnapshot snapshot;
  }

  /** All that there is to see of this node. */
  static final class OfReport extends Wait {
    final int max;
    /** Read when it is over. */
    DsmReport report;

    OfReport(int max) {
      this.max = max;
    }
  }

  /** That all copies have what threads of this node have written. */
  static final class OfRelease extends Wait {
    /** Read when it is over. */
    dev.weft.dsm.release.ReleaseCounts counts;
  }

  /** To be none any more. */
  static final class OfLeave extends Wait {
    /** Without giving anything away. */
    final boolean isAtOnce;
    /** Also where threads have locks, or arrays have release consistency: these are not given away, all else is. */
    final boolean isInAnyCase;
    /** Minipages that it could not give away; read when it is over. */
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
