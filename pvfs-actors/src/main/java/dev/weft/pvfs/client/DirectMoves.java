package dev.weft.pvfs.client;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;

/**
 * Client-based RDMA (PVFS over InfiniBand, section 4.3): the client writes to or reads from the buffer that a daemon has lent it for a request, then
 * reports that it is done. RDMA Writes and the message behind them keep their order; RDMA Reads must complete first.
 */
final class DirectMoves {
  private static final int PIECES_MAX = 4;

  private final UserMemory userMemory;
  private final WorkRequest work = new WorkRequest();

  DirectMoves(UserMemory userMemory) {
    this.userMemory = userMemory;
  }

  /** Begins to move data: the daemon has lent a buffer for a request. */
  void begin(DaemonLink link, DaemonTask part, long address, int rkey) {
    part.hasLoan = true;
    part.isMoved = false;
    part.loanAddress = address;
    part.loanKey = rkey;
    part.movedRange = 0;
    part.movedBytes = 0;
    link.direct.add(part);
    move(link);
  }

  /** Posts and sends as much as the connection takes. */
  void move(DaemonLink link) {
    while (link.isUp() && !link.direct.isEmpty() && step(link, link.direct.peek())) {
      link.direct.poll();
    }
  }

  /** Handles the completion of the last RDMA Read of a request. */
  void fetched(DaemonLink link, long id) {
    DaemonTask part = link.requests.get(id);
    if (part != null && part.hasLoan && !part.isMoved) {
      part.isMoved = true;
      link.direct.add(part);
      move(link);
    }
  }

  /** Returns false if the connection takes no more now. */
  private boolean step(DaemonLink link, DaemonTask part) {
    boolean isWrite = part.op == DaemonOp.WRITE;
    while (part.movedRange < part.memory.count()) {
      int ranges = post(link, part, isWrite);
      if (ranges == 0) {
        return !link.channel().isOpen();
      }
    }
    if (!isWrite && !part.isMoved) {
      return true; // Waits for the read.
    }
    int slot = link.channel().reserve();
    if (slot == MessageChannel.NO_BUFFER) {
      return !link.channel().isOpen();
    }
    part.isMoved = true;
    link.channel().send(slot, DaemonRequest.encodeDone(link.channel().buffers(), link.channel().offset(slot), part.id), true);
    return true;
  }

  /** Posts an RDMA request for as many ranges of memory as it can hold; returns how many, 0 if the connection took none. */
  private int post(DaemonLink link, DaemonTask part, boolean isWrite) {
    long remote = part.loanAddress + part.movedBytes;
    WorkRequest request = isWrite ? work.write(remote, part.loanKey) : work.read(remote, part.loanKey);
    int bytes = 0;
    int ranges = 0;
    for (int i = part.movedRange; i < part.memory.count() && ranges < PIECES_MAX; i++, ranges++) {
      int segment = part.memory.key(i);
      request.sge(part.task.memory[segment].address() + part.memory.offset(i), part.memory.bytes(i), userMemory.lkey(part.task, segment));
      bytes += part.memory.bytes(i);
    }
    boolean isLastRead = !isWrite && part.movedRange + ranges == part.memory.count();
    if (!link.channel().transfer(request, isLastRead, part.id)) {
      return 0;
    }
    part.movedRange += ranges;
    part.movedBytes += bytes;
    return ranges;
  }
}
