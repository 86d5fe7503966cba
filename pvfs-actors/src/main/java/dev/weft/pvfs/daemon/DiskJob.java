package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.MemorySegment;

/**
 * A job of the request manager for a file access manager: to move a part of a read or write between a zone buffer and ranges of an object, or another
 * operation on an object. It travels both ways as a message; only the side that has it may use it.
 */
final class DiskJob {
  /** A write of several parts. Its fields belong to the file access manager. */
  static final class Write {
    boolean isBegun;
    boolean isOver;
    int errno;
  }

  final DaemonOperation op;
  /** Null to abandon a write of which no more parts come. */
  final DaemonOp what;
  final long object;
  long[] offsets = {};
  int[] lengths = {};
  // For a part.
  Zones.Zone zone;
  /** In the zone buffer or the buffer lent to the client; as long as the ranges. Null if the job is not a part. */
  MemorySegment data;
  Write write;
  boolean isLast;
  /** For a write: the end of all its parts together. */
  long end;
  // RDMA of a part.
  long number;
  long[] remote = {};
  int[] remoteBytes = {};
  int[] keys = {};
  int posted;
  // The outcome.
  int errno;
  /** Bad blocks, free bytes, or another result of the operation. */
  long result;
  /** Length of the object afterwards, or another second result of the operation. */
  long objectBytes;
  ObjectPage page;
  /** For STATFS: {@link Disk#number}. */
  int disk;

  DiskJob(DaemonOperation op, DaemonOp what, long object) {
    this.op = op;
    this.what = what;
    this.object = object;
  }

  /** Takes the ranges of its operation. */
  DiskJob withRanges() {
    int count = op.request.file.count();
    offsets = new long[count];
    lengths = new int[count];
    for (int i = 0; i < count; i++) {
      offsets[i] = op.request.file.offset(i);
      lengths[i] = op.request.file.bytes(i);
    }
    return this;
  }

  /** Makes a part of a read or write whose data is available. */
  static DiskJob part(DaemonOperation op, MemorySegment data) {
    DiskJob part = new DiskJob(op, op.request.op, op.request.object);
    part.data = data;
    part.write = op.write;
    part.end = op.request.file.end();
    return part;
  }

  int bytes() {
    return (int) data.byteSize();
  }
}
