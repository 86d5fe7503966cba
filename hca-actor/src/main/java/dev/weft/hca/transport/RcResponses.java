package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WrOpcode;

/** Checks the peer's responses to reads, atomics, FLUSH and ATOMIC_WRITE, and places their data. Hardware thread. */
final class RcResponses {
  private final QpContext qp;
  private final TransportDevice hca;
  private final RcRequester requester;
  /** Whether a response was rejected for lack of room. It is requested again when there is room. */
  private boolean answerRefused;

  RcResponses(QpContext qp, TransportDevice hca, RcRequester requester) {
    this.qp = qp;
    this.hca = hca;
    this.requester = requester;
  }

  /** Returns whether a response was rejected, and clears that state. */
  boolean takeRefused() {
    boolean was = answerRefused;
    answerRefused = false;
    return was;
  }

  /** Whether a response whose pages may be absent must be rejected for lack of room. */
  private boolean refusesAnswer(Packet packet) {
    if (hca.unpinned.refuses(packet)) {
      answerRefused = true;
      requester.expectLoss();
    }
    return answerRefused;
  }

  /** Handles a response to a read, FLUSH or ATOMIC_WRITE: places its bytes if it is the next expected one. */
  void onRead(Packet packet, long nowNs) {
    SendWqe wqe = requester.expectResponse(packet.psn(), nowNs);
    if (wqe == null || (wqe.unpinned && refusesAnswer(packet))) {
      return;
    }
    if (!packet.payload().isReadable()) {
      hca.counters.packetsDropped++;
      requester.responseLost(nowNs); // The peer has invalidated its memory; the next request gets a NAK.
      return;
    }
    if (!wqe.opcode.hasResponse() || wqe.opcode.isAtomic()) {
      requester.failHead(WcStatus.BAD_RESP_ERR);
      return;
    }
    int index = Psn.diff(packet.psn(), wqe.firstPsn);
    int offset = index * qp.pathMtu;
    boolean last = index == wqe.packets - 1;
    int expected = wqe.opcode != WrOpcode.RDMA_READ ? 0 : last ? (int) (wqe.length - offset) : qp.pathMtu;
    boolean saysLast = packet.opcode() == Opcode.RC_RDMA_READ_RESPONSE_LAST
        || packet.opcode() == Opcode.RC_RDMA_READ_RESPONSE_ONLY;
    if (packet.payload().length() != expected || saysLast != last) {
      requester.failHead(WcStatus.BAD_RESP_ERR);
      return;
    }
    if (wqe.opcode != WrOpcode.RDMA_READ || place(packet, wqe, offset, nowNs)) {
      requester.responseDone(wqe, last, nowNs);
    }
  }

  /** Places the response to a read. Returns false if that fails, after failing or repeating the request. */
  private boolean place(Packet packet, SendWqe wqe, int offset, long nowNs) {
    try {
      if (hca.access.place(packet.payload(), wqe.sgList, wqe.regions, offset)) {
        return true;
      }
      requester.failHead(WcStatus.LOC_PROT_ERR);
    } catch (PayloadLostException lost) {
      hca.counters.packetsDropped++;
      requester.responseLost(nowNs); // The peer's memory is no longer accessible; the next request gets a NAK.
    }
    return false;
  }

  void onAtomic(Packet packet, long nowNs) {
    SendWqe wqe = requester.expectResponse(packet.psn(), nowNs);
    if (wqe == null) {
      return;
    }
    if (!wqe.opcode.isAtomic()) {
      requester.failHead(WcStatus.BAD_RESP_ERR);
      return;
    }
    if (wqe.unpinned && refusesAnswer(packet)) {
      return;
    }
    if (!hca.access.placeLong(packet.swapAdd(), wqe.sgList, wqe.regions)) {
      requester.failHead(WcStatus.LOC_PROT_ERR);
      return;
    }
    requester.responseDone(wqe, true, nowNs);
  }
}
