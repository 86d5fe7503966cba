package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MemoryDisk;

/** How operations may end, as far as it is not a matter of what they do, because of the faults that there were. */
final class PvfsErrors {
  private final PvfsScenario scenario;
  private final FaultPlan plan;
  private final PvfsMarks marks;
  private final Violations violations;
  private boolean wasFull;
  private boolean wasDaemonFull;
  private boolean hasFailed;
  private boolean mayBeUnsure;
  private int lockDoubts;

  PvfsErrors(PvfsScenario scenario, FaultPlan plan, PvfsMarks marks, Violations violations) {
    this.scenario = scenario;
    this.plan = plan;
    this.marks = marks;
    this.violations = violations;
  }

  /** Trouble of the manager's disk begins. */
  void begin(PvfsFaults.DiskTrouble trouble, MemoryDisk disk) {
    switch (trouble) {
      case FULL -> {
        wasFull = true;
        disk.setFull(true);
      }
      case FAILS -> {
        hasFailed = true;
        disk.failAfter(0);
      }
      case UNSURE -> {
        hasFailed = true;
        mayBeUnsure = true;
        disk.failUnsure(true);
      }
    }
  }

  /** Trouble of a daemon's disk begins. */
  void begin(PvfsFaults.DaemonTrouble trouble, DaemonDisk disk, long endNs) {
    wasDaemonFull |= trouble == PvfsFaults.DaemonTrouble.FULL;
    disk.begin(trouble, endNs);
  }

  /** Whether what ended with EIO may have been done. */
  boolean mayBeUnsure() {
    return mayBeUnsure;
  }

  /** Whether an operation on data may end so. */
  void checkData(String who, int errno) {
    boolean mayBe = switch (errno) {
      case Errno.OK -> true;
      case Errno.ENOSPC -> !scenario.isRoomy() || wasDaemonFull;
      case Errno.EIO -> plan.hurtsNodes();
      case Errno.ESTALE -> plan.hurtsNodes() && scenario.capabilitiesAreShort(); // The manager could not be asked for another one.
      default -> false;
    };
    if (errno == Errno.ENOSPC || errno == Errno.EIO) {
      marks.add(errno == Errno.EIO ? PvfsMarks.GAVE_UP_DAEMON : PvfsMarks.NO_ROOM);
    }
    if (!mayBe) {
      violations.add(who + " ended with " + Errno.name(errno) + ", for which there is no reason");
    }
  }

  /** Locks, and attempts to unlock, of which nobody knows what has come of them. */
  int lockDoubts() {
    return lockDoubts;
  }

  /** Whether an attempt to lock or unlock may end so. */
  void checkLock(String who, int errno, boolean locks, boolean waits) {
    boolean mayBe = switch (errno) {
      case Errno.OK -> true;
      case Errno.EAGAIN -> locks && !waits;
      case Errno.EDEADLK, Errno.EINTR -> locks && waits;
      case Errno.ENOLCK, Errno.ETIMEDOUT -> plan.hurtsNodes();
      case Errno.EIO, Errno.ENOSPC -> hasFailed || wasFull;
      default -> false;
    };
    if (errno == Errno.ETIMEDOUT || errno == Errno.EIO || errno == Errno.ENOSPC || errno == Errno.EINTR && plan.hurtsNodes()) {
      lockDoubts++;
    }
    if (!mayBe) {
      violations.add(who + " ended with " + Errno.name(errno) + ", for which there is no reason");
    }
  }

  /** Whether a daemon may be so far away that an operation ends so. */
  boolean mayBeUnreachable(int errno) {
    return errno == Errno.EIO && plan.hurtsNodes();
  }

  /**
   * Whether a close may end so.
   *
   * @param mayBeForgotten whether the client could say too late that the file is open, which may be gone then
   */
  void checkClose(String who, int errno, boolean mayBeForgotten) {
    if (errno != Errno.EBADF || !mayBeForgotten) {
      checkMeta(who, errno);
    }
  }

  /** Whether what was asked of the manager may end so; the answers of the name space are others' business. */
  void checkMeta(String who, int errno) {
    boolean mayBe = switch (errno) {
      case Errno.OK -> true;
      case Errno.EIO -> hasFailed;
      case Errno.ENOSPC -> wasFull;
      case Errno.ETIMEDOUT -> plan.hurtsNodes();
      default -> false;
    };
    if (errno == Errno.ETIMEDOUT) {
      marks.add(PvfsMarks.GAVE_UP_MANAGER);
    } else if (errno != Errno.OK) {
      marks.add(PvfsMarks.DISK_FAILED);
    }
    if (!mayBe) {
      violations.add(who + " ended with " + Errno.name(errno) + ", for which there is no reason");
    }
  }
}
