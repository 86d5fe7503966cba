package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;

/** The position of a packet of a reliable connection within its message. */
final class RcOpcode {
  private RcOpcode() {}

  static boolean isFirst(int opcode) {
    return opcode == Opcode.RC_SEND_FIRST || opcode == Opcode.RC_RDMA_WRITE_FIRST || isOnly(opcode);
  }

  static boolean isOnly(int opcode) {
    return opcode == Opcode.RC_SEND_ONLY || opcode == Opcode.RC_SEND_ONLY_WITH_IMM || opcode == Opcode.RC_RDMA_WRITE_ONLY
        || opcode == Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM || opcode == Opcode.RC_SEND_ONLY_WITH_INV;
  }

  static boolean isLast(int opcode) {
    return isOnly(opcode) || opcode == Opcode.RC_SEND_LAST || opcode == Opcode.RC_SEND_LAST_WITH_IMM
        || opcode == Opcode.RC_RDMA_WRITE_LAST || opcode == Opcode.RC_RDMA_WRITE_LAST_WITH_IMM
        || opcode == Opcode.RC_SEND_LAST_WITH_INV;
  }

  /** Whether the opcode is a send or a write, not a read or an atomic. */
  static boolean isMessage(int opcode) {
    return opcode <= Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM || Opcode.hasIeth(opcode);
  }

  static int readOpcode(boolean first, boolean last) {
    if (first) {
      return last ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : Opcode.RC_RDMA_READ_RESPONSE_FIRST;
    }
    return last ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
  }
}
