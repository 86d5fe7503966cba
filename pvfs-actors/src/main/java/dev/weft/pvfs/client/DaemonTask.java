package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Ranges;
import dev.weft.pvfs.wire.ShapedRanges;

/** The part of a task that one request to one daemon does. Kept until it is answered, so that it can be sent again. */
final class DaemonTask {
  final IoTask task;
  final DaemonOp op;
  /** Which of the file's daemons. */
  final int slot;
  /** Of the local object. */
  final Ranges file;
  /** Of the task's memory: offsets in the segment whose index is the key. */
  final Ranges memory;
  /** What the daemon is told in place of ranges; null if it is told these. */
  ShapedRanges shaped;
  /** Null until it is chosen. */
  Band band;
  /** A daemon has refused its capability, and another one was asked for. */
  boolean hasRenewed;
  /** Its data has a checksum, as it was sent last. */
  boolean isChecked;
  /** Times that its data did not come as it was sent. */
  int badTries;
  /** Connections that were lost while it was under way. */
  int losses;
  /** Of the link; -1 without one. */
  int fastSlot = -1;
  /** A write by {@link Band#FAST} is sent from where its data lies. */
  boolean isGathered;
  /** Its number at the daemon, also when it is sent again; 0 before it is sent. */
  long id;
  /** Of {@link Band#CLIENT}: the daemon's buffer, and how far its data is moved. */
  boolean hasLoan;
  boolean isMoved;
  long loanAddress;
  int loanKey;
  int movedRange;
  int movedBytes;
  /** When it began to wait for its turn. */
  long queuedNs;
  /** Whether what it takes says something of its band: not if it waits for a connection. */
  boolean isTimed;
  /** Of a sync: changes that the daemon had answered when it was sent. */
  long sentAfter;

  DaemonTask(IoTask task, DaemonOp op, int slot) {
    this(task, op, slot, DaemonRequest.RANGES_MAX);
  }

  /** With so many ranges at most. */
  DaemonTask(IoTask task, DaemonOp op, int slot, int rangesMax) {
    this.task = task;
    this.op = op;
    this.slot = slot;
    this.file = new Ranges(rangesMax);
    this.memory = new Ranges(rangesMax);
  }
}
