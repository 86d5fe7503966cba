package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.MemorySegment;

/**
 * What the request manager has the file access manager do: a part of a read or write between a zone buffer and ranges of an object, or anything else with an
 * object. It goes there and comes back as a message; who has it may use it.
 */
final class DiskJob {
  /** A write of several parts. Its fields are of the file access manager. */
  static final class Write {
    boolean isBegun;
    boolean isOver;
    int errno;
  }

  final DaemonOperation op;
  /** Null to give a write up of which no more parts come. */
  final DaemonOp what;
  final long object;
  long[] offsets = {};
  int[] lengths = {};
  // Of a part.
  Zones.Zone zone;
  /** Of the zone, or of the buffer that the client was lent, as long as the ranges. Null but for a part. */
  MemorySegment data;
  Write write;
  boolean isLast;
  /** Of a write: where it ends, all parts together. */
  long end;
  // RDMA of a part.
  long number;
  long[] remote = {};
  int[] remoteBytes = {};
  int[] keys = {};
  int posted;
  // What came of it.
  int errno;
  /** Blocks that are bad, bytes that are free, or what the operation answers with. */
  long result;
  /** How long the object is then, or the other thing that the operation answers with. */
  long objectBytes;
  ObjectPage page;
  /** Of STATFS: {@link Disk#number}. */
  int disk;

  DiskJob(DaemonOperation op, DaemonOp what, long object) {
    this.op = op;
    this.what = what;
    this.object = object;
  }

  /** Those of its operation. */
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

  /** A part of a read or write whose data is there. */
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
