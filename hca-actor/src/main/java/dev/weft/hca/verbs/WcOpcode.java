package dev.weft.hca.verbs;

/** What a work completion completes, as {@code ibv_wc_opcode}. Undefined, except its direction, when the status is an error. */
public enum WcOpcode {
  SEND,
  RDMA_WRITE,
  RDMA_READ,
  COMP_SWAP,
  FETCH_ADD,
  LOCAL_INV,
  RECV,
  RECV_RDMA_WITH_IMM,
  BIND_MW,
  FLUSH,
  ATOMIC_WRITE
}
