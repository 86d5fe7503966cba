package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranges of objects in memory that RDMA moves in place. A checksum of such data is meaningful only if nothing changes the data from its first moving
 * byte until the checksum is made or compared. So an operation that would change the data, or read it while it changes, waits. Copies to or from
 * stripes take only one step and need no hold. With checksums, reads and writes of the same bytes at one daemon thus come one after the other.
 */
final class HeldRanges {
  private final List<DaemonOperation> held = new ArrayList<>();
  private boolean hasReleased;

  /** Whether it moves stripes without a copy. */
  private static boolean isByRdma(DaemonOperation op) {
    return switch (op.request.op) {
      case WRITE -> op.request.band == Band.SERVER;
      case READ -> op.request.band == Band.SERVER || op.request.band == Band.FAST;
      default -> false;
    };
  }

  /** Whether its checksum covers stripes in place. A read by copy also counts: it reads them once for the copy and once for the sum. */
  private static boolean isLookedAtAsItLies(DaemonOperation op) {
    return op.isChecked() && (isByRdma(op) || !isWrite(op));
  }

  private static boolean isWrite(DaemonOperation op) {
    return op.request.op == DaemonOp.WRITE;
  }

  /** The operation moves from now on until {@link #release}. */
  void hold(DaemonOperation op) {
    if (isByRdma(op) && (isWrite(op) || op.isChecked())) {
      held.add(op);
    }
  }

  /** Whether no other operation changes the bytes of a checked read or write between {@link #hold} and {@link #release}. */
  boolean isApart(DaemonOperation op) {
    return op.isChecked() && isByRdma(op);
  }

  void release(DaemonOperation op) {
    hasReleased |= held.remove(op);
  }

  /** Whether anything was released since the last call. */
  boolean hasReleased() {
    boolean has = hasReleased;
    hasReleased = false;
    return has;
  }

  /** Whether any range of an object is held. */
  boolean holds(long object) {
    return holds(object, false);
  }

  /** Whether RDMA writes into an object. */
  boolean isWritten(long object) {
    return holds(object, true);
  }

  private boolean holds(long object, boolean onlyWrites) {
    for (int i = 0; i < held.size(); i++) {
      DaemonOperation one = held.get(i);
      if (one.request.object == object && (!onlyWrites || isWrite(one))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a read or a write must wait for a held one. */
  boolean delays(DaemonOperation op) {
    for (int i = 0; i < held.size(); i++) {
      DaemonOperation one = held.get(i);
      boolean spoils = isWrite(op) && one.isChecked();
      boolean isSpoilt = isWrite(one) && isLookedAtAsItLies(op);
      if ((spoils || isSpoilt) && sharesBytes(one, op)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a read or a write must wait for an earlier one that itself waits: otherwise a stream of new operations could delay that for ever. */
  static boolean mustFollow(DaemonOperation waiting, DaemonOperation op) {
    if (waiting.request.object != op.request.object) {
      return false;
    }
    if (!waiting.movesData()) { // It changes the length, or makes holes.
      return isByRdma(op) && (isWrite(op) || op.isChecked());
    }
    return (isWrite(op) || isWrite(waiting) && isLookedAtAsItLies(op)) && sharesBytes(waiting, op);
  }

  private static boolean sharesBytes(DaemonOperation one, DaemonOperation other) {
    return one.request.object == other.request.object && one.request.file.overlaps(other.request.file);
  }
}
