package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.RunningSum;
import java.lang.foreign.MemorySegment;

/** A request under way, with the progress of its transfers. Reusable. */
final class DaemonOperation {
  final DaemonClient client;
  final DaemonRequest request = new DaemonRequest();
  /** As counted by {@link StripeMemory#allowReuse}. */
  long number;
  /** Length of the object at its begin. */
  long objectBytes;
  /** The ranges of the object and of memory that move next, and how much of them has moved. */
  int fileRange;
  int fileDone;
  int memoryRange;
  int memoryDone;
  long moved;
  int errno;
  /** Of a waiting write: its data. Of LIST: the page. */
  MemorySegment data;
  long dataAt;
  // For stripes on a disk.
  /** Parts that have a zone buffer. */
  int parts;
  boolean wantsZone;
  /** Whether the length of the object is known. */
  boolean isSeen;
  boolean isWritten;
  /** The part whose zone buffer has the data of the answer. */
  DiskJob part;
  DiskJob.Write write;
  /** It must not be done twice, and is recorded as under way. */
  boolean isOnce;
  /** Why its capability is insufficient. If it was done earlier, it is answered nevertheless. */
  int refusal;
  /** The buffer lent to its client; null if there is none. */
  Loans.Loan loan;
  /** The next message to the client describes the loan. */
  boolean saysLoan;
  /** The client has fetched the data. */
  boolean isHandedOver;
  /** Checksum of its data so far; meaningless for a request without a checksum. */
  final RunningSum sum = new RunningSum();
  /** For STATFS: {@link Disk#number}. */
  int disk;
  /** Data follows the answer. */
  boolean answersWithData;

  DaemonOperation(DaemonClient client) {
    this.client = client;
  }

  void begin() {
    refusal = 0;
    number = 0;
    objectBytes = 0;
    isOnce = false;
    parts = 0;
    wantsZone = false;
    isSeen = false;
    isWritten = false;
    part = null;
    write = null;
    fileRange = 0;
    fileDone = 0;
    memoryRange = 0;
    memoryDone = 0;
    moved = 0;
    errno = 0;
    answersWithData = false;
    saysLoan = false;
    isHandedOver = false;
    data = null;
  }

  /** Whether the data of a checked write is what the client sent; {@link #sum} must cover all of it. */
  boolean isAsSent() {
    return sum.value() == request.sum;
  }

  /** Whether it is a READ or a WRITE with a checksum. */
  boolean isChecked() {
    return request.isChecked && movesData();
  }

  boolean movesData() {
    return request.op == DaemonOp.READ || request.op == DaemonOp.WRITE;
  }

  /** Advances by so many bytes, in the object and in memory. */
  void advance(int bytes) {
    fileDone += bytes;
    memoryDone += bytes;
    moved += bytes;
    skipWhole();
  }

  /** Skips the rest of this range of the object, which does not move. */
  void skipRange() {
    int left = request.file.bytes(fileRange) - fileDone;
    fileDone += left;
    memoryDone += left;
    skipWhole();
  }

  private void skipWhole() {
    while (fileRange < request.file.count() && fileDone >= request.file.bytes(fileRange)) {
      fileDone -= request.file.bytes(fileRange++);
    }
    while (memoryRange < request.memory.count() && memoryDone >= request.memory.bytes(memoryRange)) {
      memoryDone -= request.memory.bytes(memoryRange++);
    }
  }

  boolean isMoved() {
    return fileRange >= request.file.count();
  }

  /** Returns the offset in the object to continue from. */
  long local() {
    return request.file.offset(fileRange) + fileDone;
  }

  int leftOfRange() {
    return request.file.bytes(fileRange) - fileDone;
  }

  int leftOfMemory() {
    return request.memory.bytes(memoryRange) - memoryDone;
  }
}
