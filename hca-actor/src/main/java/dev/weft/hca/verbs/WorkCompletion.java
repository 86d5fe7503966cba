package dev.weft.hca.verbs;

/**
 * A work completion, which {@link CompletionQueue#poll} fills; its owner can reuse it. With an error status only {@code
 * wrId}, {@code status}, {@code qpNum} and {@code vendorErr} are meaningful. Before the first successful poll it is
 * {@linkplain #isEmpty() empty}: neither a success nor an error. The HCA fills a subclass of it.
 */
public class WorkCompletion {
  protected long wrId;
  protected WcStatus status;
  protected WcOpcode opcode;
  protected int byteLen;
  protected int immData;
  protected boolean withImm;
  protected boolean withInv;
  protected int qpNum;
  protected int srcLid;
  protected int srcQp;
  protected int serviceLevel;
  protected boolean withGrh;
  protected int vendorErr;
  /** Set only if the completion queue was created with timestamps. */
  protected long timestampNs;

  public final long wrId() {
    return wrId;
  }

  /** The status; null while this is {@linkplain #isEmpty() empty}. */
  public final WcStatus status() {
    return status;
  }

  /** The operation; null while this is {@linkplain #isEmpty() empty}. */
  public final WcOpcode opcode() {
    return opcode;
  }

  /** The number of bytes received, or read by an RDMA Read or atomic. Unsigned: negative for the longest message, 2^31 bytes. */
  public final int byteLen() {
    return byteLen;
  }

  /** The sender's 32-bit immediate value; meaningful if {@link #hasImm()}. */
  public final int immData() {
    return immData;
  }

  public final boolean hasImm() {
    return withImm;
  }

  /** Whether the message has invalidated a key of this node. */
  public final boolean hasInvalidatedRkey() {
    return withInv;
  }

  /** The key that the message has invalidated; meaningful if {@link #hasInvalidatedRkey()}. */
  public final int invalidatedRkey() {
    return immData;
  }

  /** Number of the local queue pair. */
  public final int qpNum() {
    return qpNum;
  }

  /** LID of the peer. */
  public final int srcLid() {
    return srcLid;
  }

  /** Number of the sending queue pair. */
  public final int srcQp() {
    return srcQp;
  }

  /** The service level of the message. */
  public final int serviceLevel() {
    return serviceLevel;
  }

  /** Whether the first 40 bytes of the receive buffer hold a header; true exactly for received datagrams. */
  public final boolean hasGrh() {
    return withGrh;
  }

  /** The number of {@link #status()} in rdma-core; 0 on success. No further detail is recorded. */
  public final int vendorErr() {
    return vendorErr;
  }

  /** Whether no completion was polled into this yet. */
  public final boolean isEmpty() {
    return status == null;
  }

  /** Whether a completion without an error was polled into this. */
  public final boolean isSuccess() {
    return status == WcStatus.SUCCESS;
  }

  /** Copies another completion into this one. */
  public final void copyFrom(WorkCompletion other) {
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

  /** The time at which the HCA completed the request, in nanoseconds of the fabric's clock; 0 if the completion queue has no timestamps. */
  public final long timestampNs() {
    return timestampNs;
  }

  @Override
  public final String toString() {
    return isEmpty() ? "WorkCompletion[empty]" : "WorkCompletion[wrId=" + wrId + " " + status + " " + opcode + " qp=" + qpNum + " byteLen=" + byteLen
        + (withImm ? " imm=" + immData : "") + "]";
  }
}
