package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WrOpcode;
import java.util.List;

/** One planned send request and its state. */
final class Op {
  final int index;
  final WrOpcode kind;
  final int length;
  /** Source of the bytes, or destination for reads and atomics. */
  final List<Piece> pieces;
  boolean signaled;
  boolean fence;
  boolean solicited;
  boolean inline;
  int immediate;
  Piece.Area remoteArea;
  int remoteOffset;
  /** Expected bytes of a send, write or read. */
  byte[] bytes = new byte[0];
  /** Word that an atomic changes. */
  AtomicWord word;
  long operand;
  long expected;
  /** Whether the pieces belong to this request alone: they become guard bytes when it is done. */
  boolean ownsPieces;
  /** Whether a later request sends the data of this read, and so clears the pieces. */
  boolean forwarded;
  /** Whether the pieces are those of an earlier read. */
  boolean forward;
  long postedNs;

  Op(int index, WrOpcode kind, int length, List<Piece> pieces) {
    this.index = index;
    this.kind = kind;
    this.length = length;
    this.pieces = pieces;
  }

  boolean isAtomic() {
    return kind == WrOpcode.ATOMIC_CMP_AND_SWP || kind == WrOpcode.ATOMIC_FETCH_AND_ADD;
  }

  boolean isRead() {
    return kind == WrOpcode.RDMA_READ;
  }

  boolean isSend() {
    return kind == WrOpcode.SEND || kind == WrOpcode.SEND_WITH_IMM;
  }

  boolean hasImmediate() {
    return kind == WrOpcode.SEND_WITH_IMM || kind == WrOpcode.RDMA_WRITE_WITH_IMM;
  }

  boolean consumesReceive() {
    return isSend() || kind == WrOpcode.RDMA_WRITE_WITH_IMM;
  }

  WcOpcode completion() {
    return switch (kind) {
      case SEND, SEND_WITH_IMM, SEND_WITH_INV -> WcOpcode.SEND;
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
      case RDMA_READ -> WcOpcode.RDMA_READ;
      case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
      case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
      case LOCAL_INV -> WcOpcode.LOCAL_INV;
      case BIND_MW -> WcOpcode.BIND_MW;
      case FLUSH -> WcOpcode.FLUSH;
      case ATOMIC_WRITE -> WcOpcode.ATOMIC_WRITE;
    };
  }

  @Override
  public String toString() {
    return kind + " #" + index + " of " + length + " bytes";
  }
}
