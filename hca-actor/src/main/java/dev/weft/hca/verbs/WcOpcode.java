package dev.weft.hca.verbs;

/** The operation of a work completion, as {@code ibv_wc_opcode}. If the status is an error, only its direction (send or receive) is defined. */
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
