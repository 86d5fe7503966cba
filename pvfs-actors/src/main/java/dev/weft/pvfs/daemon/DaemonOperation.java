package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.RunningSum;
import java.lang.foreign.MemorySegment;

/** A request that is under way, and how far its transfers are. Used again. */
final class DaemonOperation {
  final DaemonClient client;
  final DaemonRequest request = new DaemonRequest();
  /** As {@link StripeMemory#allowReuse} counts. */
  long number;
  /** Length of the object when it began. */
  long objectBytes;
  /** Range of the object, and of memory, that is moved next, and how much of these was. */
  int fileRange;
  int fileDone;
  int memoryRange;
  int memoryDone;
  long moved;
  int errno;
  /** Of a write that waits: where its data is. Of LIST: the page. */
  MemorySegment data;
  long dataAt;
  // Where stripes lie on a disk.
  /** Parts that have a zone buffer. */
  int parts;
  boolean wantsZone;
  /** The length of the object is known. */
  boolean isSeen;
  boolean isWritten;
  /** Whose zone buffer has the data of the answer. */
  DiskJob part;
  DiskJob.Write write;
  /** It must not be done twice, and is noted as under way. */
  boolean isOnce;
  /** Why its capability does not suffice; it is answered none the less if it was done before that. */
  int refusal;
  /** The buffer that its client has for it; null if it has none. */
  Loans.Loan loan;
  /** The next message to the client says where its buffer is. */
  boolean saysLoan;
  /** The client has fetched the data. */
  boolean isHandedOver;
  /** Of its data, as far as it was looked at; meaningless where the request is not checked. */
  final RunningSum sum = new RunningSum();
  /** Of STATFS: {@link Disk#number}. */
  int disk;
  /** The answer has data behind it. */
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

  /** Whether the data of a write that is checked, all of which is in {@link #sum}, is what the client has sent. */
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

  /** Goes on by so many bytes, in the object and in memory. */
  void advance(int bytes) {
    fileDone += bytes;
    memoryDone += bytes;
    moved += bytes;
    skipWhole();
  }

  /** Goes on to the next range of the object, past what is left of this one, which is not moved. */
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

  /** Where in the object it goes on. */
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
