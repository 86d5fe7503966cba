package dev.weft.pvfs.client;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Ranges;
import dev.weft.pvfs.wire.ShapedRanges;

/** The part of a task that one request to one daemon does. Kept until its answer comes, so that it can be sent again. */
final class DaemonTask {
  final IoTask task;
  final DaemonOp op;
  /** Index among the file's daemons. */
  final int slot;
  /** Ranges of the local object. */
  final Ranges file;
  /** Ranges of the task's memory: the key is the index of the segment. */
  final Ranges memory;
  /** The shape that the request carries in place of ranges; null if it carries ranges. */
  ShapedRanges shaped;
  /** Null until chosen. */
  Band band;
  /** A daemon has refused its capability, and the client has asked for a new one. */
  boolean hasRenewed;
  /** The data of the last transmission has a checksum. */
  boolean isChecked;
  /** How often its data arrived changed. */
  int badTries;
  /** How many connections were lost while it was under way. */
  int losses;
  /** Slot of the link; -1 without one. */
  int fastSlot = -1;
  /** A write by {@link Band#FAST} is sent directly from the program's memory. */
  boolean isGathered;
  /** Its number at the daemon, also when it is repeated; 0 before it is sent. */
  long id;
  /** For {@link Band#CLIENT}: the daemon has lent a buffer. The next fields say which, and how much data was moved. */
  boolean hasLoan;
  boolean isMoved;
  long loanAddress;
  int loanKey;
  int movedRange;
  int movedBytes;
  /** When it began to wait for its turn. */
  long queuedNs;
  /** Whether its time says something about its band: not if it waited for a connection. */
  boolean isTimed;
  /** For a sync: the number of changes that the daemon had acknowledged when the sync was sent. */
  long sentAfter;

  DaemonTask(IoTask task, DaemonOp op, int slot) {
    this(task, op, slot, DaemonRequest.RANGES_MAX);
  }

  /** Makes a part with at most so many ranges. */
  DaemonTask(IoTask task, DaemonOp op, int slot, int rangesMax) {
    this.task = task;
    this.op = op;
    this.slot = slot;
    this.file = new Ranges(rangesMax);
    this.memory = new Ranges(rangesMax);
  }

  /** Describes it for people. */
  String at(DaemonLink link) {
    return op + " of " + file.totalBytes() + " bytes from " + (file.count() == 0 ? 0 : file.offset(0)) + " of the part of file " + task.object
        + " at I/O daemon " + link.address.service() + " of node " + link.address.node();
  }

  /** Returns what is wrong with an answer that has so many bytes of data, in a lent buffer or in a message ({@code at} is -1); null if nothing is. */
  String problemOf(DaemonReply reply, int at, int dataBytes) {
    boolean isRead = op == DaemonOp.READ && reply.errno == Errno.OK;
    boolean isPage = op == DaemonOp.LIST && reply.errno == Errno.OK;
    long wanted = isRead && band.hasDataBehind() ? file.totalBytes() : isPage ? Math.min(reply.bytes, file.totalBytes()) : 0;
    boolean goesBefore = band == Band.FAST && dataBytes == 0; // The data came first, in RDMA Writes of its own.
    if (isRead && isChecked && !reply.hasSum) {
      return "it answered a read without the checksum that it was asked for";
    }
    if (at >= 0 ? at != fastSlot : isRead && band == Band.FAST) {
      return "it answered a request where it was not asked to";
    }
    return dataBytes == wanted || goesBefore ? null : "it answered a request that wants " + wanted + " bytes with " + dataBytes;
  }
}
