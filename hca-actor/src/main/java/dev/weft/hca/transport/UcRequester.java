package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.WrOpcode;

/** The requester half of an unreliable connected queue pair (specification volume 1, section 9.8.2). Messages may have many packets. */
final class UcRequester extends UnreliableRequester {
  UcRequester(QpContext qp, TransportDevice hca, SendQueue sq) {
    super(qp, hca, sq);
  }

  @Override
  int mtu() {
    return qp.pathMtu;
  }

  @Override
  long messageMax(SendWqe wqe) {
    return hca.settings.messageMaxBytes();
  }

  @Override
  public int serviceLevel(SendWqe wqe) {
    return qp.serviceLevel;
  }

  @Override
  Packet packet(SendWqe wqe, int packetPsn, boolean first, boolean last, Payload payload) {
    boolean send = wqe.opcode == WrOpcode.SEND || wqe.opcode == WrOpcode.SEND_WITH_IMM;
    boolean imm = last && (wqe.opcode == WrOpcode.SEND_WITH_IMM || wqe.opcode == WrOpcode.RDMA_WRITE_WITH_IMM);
    boolean reth = !send && first;
    boolean solicited = last && wqe.has(SendFlags.SOLICITED) && (send || imm);
    return new Packet(opcode(send, first, last, imm), hca.lid(), qp.destLid, qp.serviceLevel, solicited, false,
        Packet.DEFAULT_PKEY, qp.destQpNum, packetPsn, reth ? wqe.remoteAddr : 0, reth ? wqe.rkey : 0, reth ? (int) wqe.length : 0, 0, 0,
        imm ? wqe.immData : 0, 0, 0, payload);
  }

  private static int opcode(boolean send, boolean first, boolean last, boolean imm) {
    int place;
    if (last) {
      place = (first ? Opcode.UC_SEND_ONLY : Opcode.UC_SEND_LAST) + (imm ? 1 : 0);
    } else {
      place = first ? Opcode.UC_SEND_FIRST : Opcode.UC_SEND_MIDDLE;
    }
    return send ? place : place + Opcode.UC_RDMA_WRITE_FIRST - Opcode.UC_SEND_FIRST;
  }
}
