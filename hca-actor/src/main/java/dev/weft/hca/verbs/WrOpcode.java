package dev.weft.hca.verbs;

/** Work request operations, as {@code ibv_wr_opcode}. */
public enum WrOpcode {
  RDMA_WRITE(WcOpcode.RDMA_WRITE),
  RDMA_WRITE_WITH_IMM(WcOpcode.RDMA_WRITE),
  SEND(WcOpcode.SEND),
  SEND_WITH_IMM(WcOpcode.SEND),
  RDMA_READ(WcOpcode.RDMA_READ),
  ATOMIC_CMP_AND_SWP(WcOpcode.COMP_SWAP),
  ATOMIC_FETCH_AND_ADD(WcOpcode.FETCH_ADD),
  LOCAL_INV(WcOpcode.LOCAL_INV),
  BIND_MW(WcOpcode.BIND_MW),
  SEND_WITH_INV(WcOpcode.SEND),
  FLUSH(WcOpcode.FLUSH),
  ATOMIC_WRITE(WcOpcode.ATOMIC_WRITE);

  private final WcOpcode completion;

  WrOpcode(WcOpcode completion) {
    this.completion = completion;
  }

  public WcOpcode completion() {
    return completion;
  }

  public boolean isAtomic() {
    return this == ATOMIC_CMP_AND_SWP || this == ATOMIC_FETCH_AND_ADD;
  }

  /** Whether the response carries bytes: reads and atomics. */
  public boolean isReadOrAtomic() {
    return this == RDMA_READ || isAtomic();
  }

  /** Whether only its own response completes it, not any acknowledgement. It then counts as an outstanding read or atomic. */
  public boolean hasResponse() {
    return isReadOrAtomic() || this == FLUSH || this == ATOMIC_WRITE;
  }

  /** Whether the HCA executes it locally, without a packet. */
  public boolean isLocal() {
    return this == LOCAL_INV || this == BIND_MW;
  }

  public boolean isSend() {
    return this == SEND || this == SEND_WITH_IMM || this == SEND_WITH_INV;
  }

  boolean isWrite() {
    return this == RDMA_WRITE || this == RDMA_WRITE_WITH_IMM;
  }
}
