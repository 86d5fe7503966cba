package dev.weft.pvfs.daemon;

import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DataSum;
import java.lang.foreign.MemorySegment;

/**
 * RDMA requests between stripes in memory and a client, without a copy. Each has one range of the client's memory and up to four pieces of stripes,
 * because chunks and pages need not be adjacent.
 */
final class Transfers {
  private static final int PIECES_MAX = 4;

  private final StripeMemory stripes;
  private final MemoryRegion region;
  /** Zeros, for holes. */
  private final MemoryRegion zeros;
  private final int transferBytes;
  private final WorkRequest work = new WorkRequest();

  Transfers(StripeMemory stripes, MemoryRegion region, MemoryRegion zeros, int transferBytes) {
    this.stripes = stripes;
    this.region = region;
    this.zeros = zeros;
    this.transferBytes = transferBytes;
  }

  /** Posts as much as the channel takes; returns false if it takes no more now. */
  boolean post(DaemonOperation op) {
    boolean isRead = op.request.op == DaemonOp.READ;
    while (!op.isMoved()) {
      if (isRead && op.local() >= op.objectBytes) {
        op.skipRange();
        continue;
      }
      long remote = op.request.memory.offset(op.memoryRange) + op.memoryDone;
      int key = op.request.memory.key(op.memoryRange);
      int most = Math.min(Math.min(op.leftOfRange(), op.leftOfMemory()), transferBytes);
      int bytes = addPieces(op, isRead ? work.write(remote, key) : work.read(remote, key), isRead ? available(op, most) : most);
      boolean isLast = op.fileRange == op.request.file.count() - 1 && bytes == op.leftOfRange();
      if (!op.client.channel.transfer(work, !isRead && isLast, op.number)) {
        return !op.client.channel.isOpen();
      }
      op.advance(bytes);
    }
    return true;
  }

  /** Returns how many of the next bytes of the operation the object has. */
  static int available(DaemonOperation op, int most) {
    return (int) Math.min(most, op.objectBytes - op.local());
  }

  /** Adds pieces of stripes for up to {@code most} bytes of the operation's current range; returns their bytes. */
  private int addPieces(DaemonOperation op, WorkRequest to, int most) {
    int done = 0;
    for (int piece = 0; piece < PIECES_MAX && done < most; piece++) {
      done += addPiece(op.request.object, op.local() + done, most - done, to);
    }
    return done;
  }

  private int addPiece(long object, long local, int most, WorkRequest to) {
    long at = stripes.find(object, local);
    if (at == StripeMemory.HOLE) {
      int bytes = (int) Math.min(most, stripes.restOfPiece(object, local));
      to.sge(zeros, 0, bytes);
      return bytes;
    }
    int bytes = (int) Math.min(most, stripes.restOfPiece(object, local));
    while (bytes < most && stripes.find(object, local + bytes) == at + bytes) { // The next chunk or page is adjacent.
      bytes += (int) Math.min(most - bytes, stripes.restOfPiece(object, local + bytes));
    }
    to.sge(region, at, bytes);
    return bytes;
  }

  /** Adds all data of a read to a request with one range of memory; returns false if it has too many pieces. */
  boolean addAll(DaemonOperation op, WorkRequest to, int piecesMax) {
    int pieces = 0;
    for (int range = 0; range < op.request.file.count(); range++) {
      long local = op.request.file.offset(range);
      for (int left = op.request.file.bytes(range); left > 0; pieces++) {
        if (pieces == piecesMax) {
          return false;
        }
        int bytes = addPiece(op.request.object, local, left, to);
        local += bytes;
        left -= bytes;
      }
    }
    return true;
  }

  /** Copies the data of a write from behind its request. */
  void take(DaemonOperation op, MemorySegment from, long at) {
    for (int range = 0; range < op.request.file.count(); range++) {
      long local = op.request.file.offset(range);
      for (int left = op.request.file.bytes(range); left > 0;) {
        int bytes = (int) Math.min(left, stripes.restOfPiece(op.request.object, local));
        MemorySegment.copy(from, at, stripes.memory(), stripes.find(op.request.object, local), bytes);
        local += bytes;
        at += bytes;
        left -= bytes;
      }
    }
  }

  /**
   * Adds the data of an operation in the stripes to its checksum: of a write all, of a read what the object had at its begin.
   *
   * @param isStill whether nothing changes the data meanwhile: then the checksums of whole chunks are remembered
   */
  void sum(DaemonOperation op, DataSum sums, boolean isStill) {
    boolean isRead = op.request.op == DaemonOp.READ;
    for (int range = 0; range < op.request.file.count(); range++) {
      long local = op.request.file.offset(range);
      long end = local + op.request.file.bytes(range);
      end = isRead ? Math.min(end, op.objectBytes) : end;
      while (local < end) {
        int bytes = (int) Math.min(end - local, stripes.restOfPiece(op.request.object, local));
        long found = stripes.find(op.request.object, local);
        if (bytes == StripeMemory.CHUNK_BYTES) {
          op.sum.add(found == StripeMemory.HOLE ? StripeMemory.SUM_OF_ZEROS : stripes.sum(found, isStill), bytes);
        } else if (found == StripeMemory.HOLE) {
          sums.addZeros(op.sum, bytes);
        } else {
          sums.add(op.sum, stripes.memory(), found, bytes);
        }
        local += bytes;
      }
    }
  }

  /** Copies the data of a read to behind its answer. */
  void give(DaemonOperation op, MemorySegment to, long at) {
    for (int range = 0; range < op.request.file.count(); range++) {
      long local = op.request.file.offset(range);
      for (int left = op.request.file.bytes(range); left > 0;) {
        int bytes = (int) Math.min(left, stripes.restOfPiece(op.request.object, local));
        long found = stripes.find(op.request.object, local);
        if (found == StripeMemory.HOLE) {
          to.asSlice(at, bytes).fill((byte) 0);
        } else {
          MemorySegment.copy(stripes.memory(), found, to, at, bytes);
        }
        local += bytes;
        at += bytes;
        left -= bytes;
      }
    }
  }
}
