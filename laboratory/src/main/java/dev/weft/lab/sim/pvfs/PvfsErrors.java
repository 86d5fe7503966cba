package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MemoryDisk;

/** The errors that operations may return because of faults, independent of the operations themselves. */
final class PvfsErrors {
  /** A node that was cut off this recently may not have sent everything yet: retransmissions become ever less frequent. */
  private static final long SILENCE_NS = 5_000_000_000L;

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

  /** A fault of the manager's disk begins. */
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

  /** A fault of a daemon's disk begins. */
  void begin(DaemonDisk.Trouble trouble, DaemonDisk disk, long endNs) {
    wasDaemonFull |= trouble == DaemonDisk.Trouble.FULL;
    disk.begin(trouble, endNs);
  }

  /** Whether an operation that ended with EIO may have been done. */
  boolean mayBeUnsure() {
    return mayBeUnsure;
  }

  /** Checks the error of a data operation. */
  void checkData(String who, int errno) {
    boolean mayBe = switch (errno) {
      case Errno.OK -> true;
      case Errno.ENOSPC -> !scenario.isRoomy() || wasDaemonFull;
      case Errno.EIO -> plan.hurtsNodes();
      case Errno.ESTALE -> plan.hurtsNodes() && scenario.capabilitiesAreShort(); // The manager could not be asked for a new capability.
      default -> false;
    };
    if (errno == Errno.ENOSPC || errno == Errno.EIO) {
      marks.add(errno == Errno.EIO ? PvfsMarks.GAVE_UP_DAEMON : PvfsMarks.NO_ROOM);
    }
    if (!mayBe) {
      violations.add(who + " ended with " + Errno.name(errno) + ", for which there is no reason");
    }
  }

  /** Number of lock and unlock requests with an unknown result. */
  int lockDoubts() {
    return lockDoubts;
  }

  /** Checks the error of a lock or unlock request. */
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

  /** Whether an operation may end with this error because a daemon is unreachable. */
  boolean mayBeUnreachable(int errno) {
    return errno == Errno.EIO && plan.hurtsNodes();
  }

  /** Whether faults may cut a client off from the manager until {@code untilNs}. */
  boolean mayBeCutOff(int client, long untilNs) {
    return plan.faults().stream()
        .anyMatch(fault -> isSilence(fault, client) && fault.fromNs() < untilNs && fault.toNs() > untilNs - SILENCE_NS);
  }

  private static boolean isSilence(Fault fault, int client) {
    return switch (fault.kind()) {
      case PARTITION, PAUSE -> fault.node() == client || fault.node() == 0;
      case SLOW_SERVER -> fault.node() == 0;
      default -> false;
    };
  }

  /**
   * Checks the error of a close.
   *
   * @param mayBeForgotten whether the client may have reported too late that the file is open, so that the file may be gone
   */
  void checkClose(String who, int errno, boolean mayBeForgotten) {
    if (errno != Errno.EBADF || !mayBeForgotten) {
      checkMeta(who, errno);
    }
  }

  /** Checks the error of a manager request; answers of the name space are checked elsewhere. */
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
