package dev.weft.hca.completion;

import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;

/** An entry of the ring of a completion queue. The hardware thread fills it when a request completes. */
public final class Cqe extends WorkCompletion {
  /** The queue whose slots become free when this entry is polled, or null; below, the limit of these slots. */
  private QueueSlots slots;
  private long slotsBefore;

  /** Sets the slots that become free when this entry is polled: those before {@code before}. */
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

  /** Sets the result of a request; clears the flags and the immediate data. */
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

  /** Sets the sender of a received message, or the destination of a sent one. */
  public void peer(int newSrcLid, int newSrcQp, int newServiceLevel) {
    srcLid = newSrcLid;
    srcQp = newSrcQp;
    serviceLevel = newServiceLevel;
  }

  /** Sets the immediate data or the invalidated key of a message. */
  public void brought(boolean imm, boolean inv, int value) {
    withImm = imm;
    withInv = inv;
    immData = value;
  }

  /** Marks the message as a datagram, which follows its header. */
  public void datagram() {
    withGrh = true;
  }

  void at(long nowNs) {
    timestampNs = nowNs;
  }
}
