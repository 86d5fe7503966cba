package dev.weft.pvfs.daemon;

import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.Arrays;

/** Cuts operations into parts, and moves parts between zone buffers and clients by RDMA: one request for each range of the client's memory. */
final class PartTransfers {
  private final WorkRequest work = new WorkRequest();

  /**
   * Gives a part the next {@code bytes} of its operation, and advances the operation.
   *
   * @param movesByRdma whether the part also has ranges of the client's memory
   */
  static void cut(DiskJob part, int bytes, boolean movesByRdma) {
    DaemonOperation op = part.op;
    int files = 0;
    int memories = 0;
    part.offsets = new long[op.request.file.count() - op.fileRange];
    part.lengths = new int[part.offsets.length];
    int memoriesMax = movesByRdma ? op.request.memory.count() - op.memoryRange : 0;
    part.remote = new long[memoriesMax];
    part.remoteBytes = new int[memoriesMax];
    part.keys = new int[memoriesMax];
    int fileRange = -1;
    int memoryRange = -1;
    for (int left = bytes; left > 0;) {
      int piece = Math.min(left, op.leftOfRange());
      if (movesByRdma) {
        piece = Math.min(piece, op.leftOfMemory());
      }
      if (op.fileRange != fileRange) {
        fileRange = op.fileRange;
        part.offsets[files++] = op.local();
      }
      part.lengths[files - 1] += piece;
      if (movesByRdma) {
        if (op.memoryRange != memoryRange) {
          memoryRange = op.memoryRange;
          part.remote[memories] = op.request.memory.offset(memoryRange) + op.memoryDone;
          part.keys[memories++] = op.request.memory.key(memoryRange);
        }
        part.remoteBytes[memories - 1] += piece;
      }
      op.advance(piece);
      left -= piece;
    }
    part.offsets = Arrays.copyOf(part.offsets, files);
    part.lengths = Arrays.copyOf(part.lengths, files);
    part.remote = Arrays.copyOf(part.remote, memories);
  }

  /** Posts as much as the channel takes; returns false if it takes no more now. The completion of the last request ends the part. */
  boolean post(DiskJob part) {
    long at = part.zone.at;
    for (int i = 0; i < part.posted; i++) {
      at += part.remoteBytes[i];
    }
    while (part.posted < part.remote.length) {
      int i = part.posted;
      WorkRequest request = part.what == DaemonOp.READ ? work.write(part.remote[i], part.keys[i]) : work.read(part.remote[i], part.keys[i]);
      boolean isLast = i == part.remote.length - 1;
      if (!part.op.client.channel.transfer(request.sge(part.zone.region, at, part.remoteBytes[i]), isLast, part.number)) {
        return false;
      }
      at += part.remoteBytes[i];
      part.posted++;
    }
    return true;
  }
}
