package dev.weft.hca.completion;

import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;

/** An entry of the ring of a completion queue: what is filled in when a request completes. Hardware thread. */
public final class Cqe extends WorkCompletion {
  /** Whose slots come back when it is polled, and which. Null: none. */
  private QueueSlots slots;
  private long slotsBefore;

  /** Slots before {@code before} come back when this entry is polled. */
  public void returns(QueueSlots own, long before) {
    slots = own;
    slotsBefore = before;
  }

  QueueSlots slots() {
    return slots;
  }

  long slotsBefore() {
    return slotsBefore;
  }

  /** What a request of a queue pair ended with; nothing else is said of it yet. */
  public void fill(int newQpNum, long newWrId, WcStatus newStatus, WcOpcode newOpcode, int newByteLen) {
    wrId = newWrId;
    status = newStatus;
    opcode = newOpcode;
    byteLen = newByteLen;
    qpNum = newQpNum;
    withGrh = false;
    vendorErr = newStatus.ordinal();
    withImm = false;
    withInv = false;
    immData = 0;
  }

  /** Where it came from, or went to. */
  public void peer(int newSrcLid, int newSrcQp, int newServiceLevel) {
    srcLid = newSrcLid;
    srcQp = newSrcQp;
    serviceLevel = newServiceLevel;
  }

  /** What a message brought besides its bytes. */
  public void brought(boolean imm, boolean inv, int value) {
    withImm = imm;
    withInv = inv;
    immData = value;
  }

  /** It is a datagram, behind its header. */
  public void datagram() {
    withGrh = true;
  }

  void at(long nowNs) {
    timestampNs = nowNs;
  }
}
