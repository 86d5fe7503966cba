package dev.weft.hca;

/**
 * A work completion, filled in by {@link CompletionQueue#poll}; reused by its owner. With an error status only {@code
 * wrId}, {@code status}, {@code qpNum} and {@code vendorErr} are meaningful. Before the first poll that found something it is
 * {@linkplain #isEmpty() empty}: no success and no error.
 */
public final class WorkCompletion {
  long wrId;
  WcStatus status;
  WcOpcode opcode;
  int byteLen;
  int immData;
  boolean withImm;
  boolean withInv;
  int qpNum;
  int srcLid;
  int srcQp;
  int serviceLevel;
  boolean withGrh;
  int vendorErr;
  /** Set only where the completion queue was created for it. */
  long timestampNs;
  /** Of an entry of a completion queue: whose slots come back when it is polled, and which. Null: none. */
  private QueueSlots slots;
  private long slotsBefore;

  /** Slots before {@code before} come back when this entry is polled. */
  void returns(QueueSlots own, long before) {
    slots = own;
    slotsBefore = before;
  }

  QueueSlots slots() {
    return slots;
  }

  long slotsBefore() {
    return slotsBefore;
  }

  public long wrId() {
    return wrId;
  }

  /** Null as long as this is {@linkplain #isEmpty() empty}. */
  public WcStatus status() {
    return status;
  }

  /** Null as long as this is {@linkplain #isEmpty() empty}. */
  public WcOpcode opcode() {
    return opcode;
  }

  /** Bytes received, or read by an RDMA Read or atomic; unsigned: of the longest message, 2^31 bytes, it is negative. */
  public int byteLen() {
    return byteLen;
  }

  /** The sender's 32-bit immediate value; meaningful if {@link #hasImm()}. */
  public int immData() {
    return immData;
  }

  public boolean hasImm() {
    return withImm;
  }

  /** Whether the message has made a key of this node invalid. */
  public boolean hasInvalidatedRkey() {
    return withInv;
  }

  /** The key that the message has made invalid; meaningful if {@link #hasInvalidatedRkey()}. */
  public int invalidatedRkey() {
    return immData;
  }

  /** Number of the local queue pair. */
  public int qpNum() {
    return qpNum;
  }

  /** LID of the peer. */
  public int srcLid() {
    return srcLid;
  }

  /** Number of the sending queue pair. */
  public int srcQp() {
    return srcQp;
  }

  /** Service level that the message came with, or goes with. */
  public int serviceLevel() {
    return serviceLevel;
  }

  /** Whether the first 40 bytes of the receive buffer hold a header: always and only for a received datagram. */
  public boolean hasGrh() {
    return withGrh;
  }

  /** The number that rdma-core gives to {@link #status()}; 0 on success. Nothing finer is recorded. */
  public int vendorErr() {
    return vendorErr;
  }

  /** Whether nothing was polled into this yet. */
  public boolean isEmpty() {
    return status == null;
  }

  /** Whether a completion was polled, and it is one without an error. */
  public boolean isSuccess() {
    return status == WcStatus.SUCCESS;
  }

  void copyFrom(WorkCompletion other) {
    wrId = other.wrId;
    status = other.status;
    opcode = other.opcode;
    byteLen = other.byteLen;
    immData = other.immData;
    withImm = other.withImm;
    withInv = other.withInv;
    timestampNs = other.timestampNs;
    qpNum = other.qpNum;
    srcLid = other.srcLid;
    srcQp = other.srcQp;
    serviceLevel = other.serviceLevel;
    withGrh = other.withGrh;
    vendorErr = other.vendorErr;
  }

  @Override
  public String toString() {
    return isEmpty() ? "WorkCompletion[empty]" : "WorkCompletion[wrId=" + wrId + " " + status + " " + opcode + " qp=" + qpNum + " byteLen=" + byteLen
        + (withImm ? " imm=" + immData : "") + "]";
  }
}
