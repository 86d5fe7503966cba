package dev.weft.hca.verbs;

/**
 * A work completion, filled in by {@link CompletionQueue#poll}; reused by its owner. With an error status only {@code
 * wrId}, {@code status}, {@code qpNum} and {@code vendorErr} are meaningful. Before the first poll that found something it is
 * {@linkplain #isEmpty() empty}: no success and no error. Who completes requests fills its own kind of it.
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
  /** Set only where the completion queue was created for it. */
  protected long timestampNs;

  public final long wrId() {
    return wrId;
  }

  /** Null as long as this is {@linkplain #isEmpty() empty}. */
  public final WcStatus status() {
    return status;
  }

  /** Null as long as this is {@linkplain #isEmpty() empty}. */
  public final WcOpcode opcode() {
    return opcode;
  }

  /** Bytes received, or read by an RDMA Read or atomic; unsigned: of the longest message, 2^31 bytes, it is negative. */
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

  /** Whether the message has made a key of this node invalid. */
  public final boolean hasInvalidatedRkey() {
    return withInv;
  }

  /** The key that the message has made invalid; meaningful if {@link #hasInvalidatedRkey()}. */
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

  /** Service level that the message came with, or goes with. */
  public final int serviceLevel() {
    return serviceLevel;
  }

  /** Whether the first 40 bytes of the receive buffer hold a header: always and only for a received datagram. */
  public final boolean hasGrh() {
    return withGrh;
  }

  /** The number that rdma-core gives to {@link #status()}; 0 on success. Nothing finer is recorded. */
  public final int vendorErr() {
    return vendorErr;
  }

  /** Whether nothing was polled into this yet. */
  public final boolean isEmpty() {
    return status == null;
  }

  /** Whether a completion was polled, and it is one without an error. */
  public final boolean isSuccess() {
    return status == WcStatus.SUCCESS;
  }

  /** Takes over what another one says. */
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

  /** When the HCA completed the request, nanoseconds of the fabric's clock; 0 unless the completion queue was created for it. */
  public final long timestampNs() {
    return timestampNs;
  }

  @Override
  public final String toString() {
    return isEmpty() ? "WorkCompletion[empty]" : "WorkCompletion[wrId=" + wrId + " " + status + " " + opcode + " qp=" + qpNum + " byteLen=" + byteLen
        + (withImm ? " imm=" + immData : "") + "]";
  }
}
