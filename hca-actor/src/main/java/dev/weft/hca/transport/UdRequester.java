package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.WrOpcode;

/** The requester half of a datagram queue pair (specification volume 1, section 9.8.3). Each message is one packet and has its own destination. */
final class UdRequester extends UnreliableRequester {
  UdRequester(QpContext qp, TransportDevice hca, SendQueue sq) {
    super(qp, hca, sq);
  }

  @Override
  int mtu() {
    return hca.portMtuBytes();
  }

  @Override
  long messageMax(SendWqe wqe) {
    return hca.datagramMaxBytes(wqe.destLid);
  }

  @Override
  public int serviceLevel(SendWqe wqe) {
    return wqe.serviceLevel;
  }

  @Override
  Packet packet(SendWqe wqe, int packetPsn, boolean first, boolean last, Payload payload) {
    boolean imm = wqe.opcode == WrOpcode.SEND_WITH_IMM;
    // A key with the top bit set is privileged: the queue pair's key is sent instead (section 10.2.5).
    int qkey = wqe.remoteQkey < 0 ? qp.qkey : wqe.remoteQkey;
    return new Packet(imm ? Opcode.UD_SEND_ONLY_WITH_IMM : Opcode.UD_SEND_ONLY, hca.lid(), wqe.destLid, wqe.serviceLevel,
        wqe.has(SendFlags.SOLICITED), false, Packet.DEFAULT_PKEY, wqe.remoteQpNum, packetPsn, 0, 0, 0, 0, 0, imm ? wqe.immData : 0,
        0, 0, qkey, qp.qpNum(), payload);
  }
}
