package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.WrOpcode;

/** Creates the packets of a requester from its work requests (specification volume 1, section 9.4). Hardware thread. */
final class RcRequestPackets {
  private final QpContext qp;
  private final TransportDevice hca;

  RcRequestPackets(QpContext qp, TransportDevice hca) {
    this.qp = qp;
    this.hca = hca;
  }

  /** Returns the request packet for the rest of a read from {@code offset} on. */
  Packet read(SendWqe wqe, int psn, int offset) {
    return request(Opcode.RC_RDMA_READ_REQUEST, false, true, psn, wqe.remoteAddr + offset, wqe.rkey, (int) (wqe.length - offset), 0, 0, 0,
        Payload.EMPTY);
  }

  Packet atomic(SendWqe wqe, int psn) {
    boolean swap = wqe.opcode == WrOpcode.ATOMIC_CMP_AND_SWP;
    return request(swap ? Opcode.RC_CMP_SWAP : Opcode.RC_FETCH_ADD, false, true, psn, wqe.remoteAddr, wqe.rkey, 0, 0,
        swap ? wqe.swap : wqe.compareAdd, swap ? wqe.compareAdd : 0, Payload.EMPTY);
  }

  Packet flush(SendWqe wqe, int psn) {
    return request(Opcode.RC_FLUSH, false, true, psn, wqe.remoteAddr, wqe.rkey, wqe.flushLength, wqe.immData, 0, 0, Payload.EMPTY);
  }

  Packet atomicWrite(SendWqe wqe, int psn, Payload payload) {
    return request(Opcode.RC_ATOMIC_WRITE, false, true, psn, wqe.remoteAddr, wqe.rkey, (int) wqe.length, 0, 0, 0, payload);
  }

  /** Returns a packet of a send or a write. */
  Packet message(SendWqe wqe, int psn, boolean first, boolean last, boolean ackReq, Payload payload) {
    boolean send = wqe.opcode.isSend();
    boolean imm = last && (wqe.opcode == WrOpcode.SEND_WITH_IMM || wqe.opcode == WrOpcode.RDMA_WRITE_WITH_IMM);
    boolean inv = last && wqe.opcode == WrOpcode.SEND_WITH_INV;
    int opcode = inv ? (first ? Opcode.RC_SEND_ONLY_WITH_INV : Opcode.RC_SEND_LAST_WITH_INV)
        : send ? sendOpcode(first, last, imm) : writeOpcode(first, last, imm);
    boolean solicited = last && wqe.has(SendFlags.SOLICITED) && (send || imm);
    boolean reth = !send && first;
    return request(opcode, solicited, ackReq, psn, reth ? wqe.remoteAddr : 0, reth ? wqe.rkey : inv ? wqe.invalidateRkey : 0,
        reth ? (int) wqe.length : 0, imm ? wqe.immData : 0, 0, 0, payload);
  }

  private Packet request(int opcode, boolean solicited, boolean ackReq, int psn, long va, int rkey, int dmaLength, int imm,
      long swapAdd, long compare, Payload payload) {
    return new Packet(opcode, hca.lid(), qp.destLid, qp.serviceLevel, solicited, ackReq, Packet.DEFAULT_PKEY, qp.destQpNum, psn,
        va, rkey, dmaLength, 0, 0, imm, swapAdd, compare, payload);
  }

  private static int sendOpcode(boolean first, boolean last, boolean imm) {
    if (first) {
      return last ? (imm ? Opcode.RC_SEND_ONLY_WITH_IMM : Opcode.RC_SEND_ONLY) : Opcode.RC_SEND_FIRST;
    }
    return last ? (imm ? Opcode.RC_SEND_LAST_WITH_IMM : Opcode.RC_SEND_LAST) : Opcode.RC_SEND_MIDDLE;
  }

  private static int writeOpcode(boolean first, boolean last, boolean imm) {
    if (first) {
      return last ? (imm ? Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM : Opcode.RC_RDMA_WRITE_ONLY) : Opcode.RC_RDMA_WRITE_FIRST;
    }
    return last ? (imm ? Opcode.RC_RDMA_WRITE_LAST_WITH_IMM : Opcode.RC_RDMA_WRITE_LAST) : Opcode.RC_RDMA_WRITE_MIDDLE;
  }
}
