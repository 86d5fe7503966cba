package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranges of objects in memory that RDMA moves as they lie there. A checksum of such data is worth something only if nobody changes it from the first byte that
 * moves until the checksum is made, or compared: who wants to change it, or to read it while it changes, waits. What is copied to or from stripes needs that
 * not beyond one step. So where checksums are asked for, reads and writes of the same bytes at one daemon come one after the other.
 */
final class HeldRanges {
  private final List<DaemonOperation> held = new ArrayList<>();
  private boolean hasReleased;

  /** Moves stripes without a copy. */
  private static boolean isByRdma(DaemonOperation op) {
    return switch (op.request.op) {
      case WRITE -> op.request.band == Band.SERVER;
      case READ -> op.request.band == Band.SERVER || op.request.band == Band.FAST;
      default -> false;
    };
  }

  /** Its checksum is one of stripes: a read by copy has two looks at them, for the copy and for the sum. */
  private static boolean isLookedAtAsItLies(DaemonOperation op) {
    return op.isChecked() && (isByRdma(op) || !isWrite(op));
  }

  private static boolean isWrite(DaemonOperation op) {
    return op.request.op == DaemonOp.WRITE;
  }

  /** An operation moves from now on until {@link #release}. */
  void hold(DaemonOperation op) {
    if (isByRdma(op) && (isWrite(op) || op.isChecked())) {
      held.add(op);
    }
  }

  /** Whether a checked read or write has its bytes for itself from {@link #hold} to {@link #release}: nobody else changes them. */
  boolean isApart(DaemonOperation op) {
    return op.isChecked() && isByRdma(op);
  }

  void release(DaemonOperation op) {
    hasReleased |= held.remove(op);
  }

  /** Whether something was released since it was asked last. */
  boolean hasReleased() {
    boolean has = hasReleased;
    hasReleased = false;
    return has;
  }

  /** Whether anything of an object is held. */
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

  /** Whether a read or a write must wait for one that is held. */
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

  /** Whether a read or a write must wait for one before it that waits itself: or those who keep coming would keep that waiting. */
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
