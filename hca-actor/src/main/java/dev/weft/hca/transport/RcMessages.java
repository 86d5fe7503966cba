package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;

/**
 * Places the peer's sends and writes of a reliable connection packet by packet: into the oldest receive, or into a region (specification volume 1,
 * sections 9.7.4 and 9.7.5). Each packet passed to it is the next in PSN order. Hardware thread.
 */
final class RcMessages {
  private static final int NONE = 0;
  private static final int SEND = 1;
  private static final int WRITE = 2;

  private final QpContext qp;
  private final TransportDevice hca;
  private final ReceiveSource rq;
  private final RcResponder responder;
  private int operation;
  private ReceiveQueue.Wqe receive;
  private long received;
  private Mr writeRegion;
  private long writeAddr;
  private long writeLeft;
  private long writeTotal;

  RcMessages(QpContext qp, TransportDevice hca, ReceiveSource rq, RcResponder responder) {
    this.qp = qp;
    this.hca = hca;
    this.rq = rq;
    this.responder = responder;
  }

  /** Forgets an unfinished message. */
  void reset() {
    operation = NONE;
    receive = null;
  }

  /** Whether a message has begun but not ended; no other request may come in between. */
  boolean isUnderWay() {
    return operation != NONE;
  }

  /** Whether the packet is allowed at this position of its message and has the length that the position requires. */
  private boolean inSequence(Packet packet, int kind) {
    int opcode = packet.opcode();
    boolean first = RcOpcode.isFirst(opcode);
    if (first ? operation != NONE : operation != kind) {
      return false;
    }
    int length = packet.payload().length();
    if (!RcOpcode.isLast(opcode)) {
      return length == qp.pathMtu;
    }
    return length <= qp.pathMtu && (first || length > 0);
  }

  void onSend(Packet packet) {
    if (!inSequence(packet, SEND)) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (RcOpcode.isFirst(packet.opcode()) && !beginReceive(true)) {
      return;
    }
    int length = packet.payload().length();
    if (received + length > receive.length) {
      failReceive(WcStatus.LOC_LEN_ERR, Aeth.NAK_INVALID_REQUEST);
      return;
    }
    if (!packet.payload().isReadable()) {
      hca.counters.packetsDropped++;
      return;
    }
    if (length > 0 && !hca.access.place(packet.payload(), receive.sgList, receive.regions, received)) {
      failReceive(WcStatus.LOC_PROT_ERR, Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
      return;
    }
    if (Opcode.hasIeth(packet.opcode()) && !hca.windows.mayInvalidate(qp, packet.rkey())) {
      failReceive(WcStatus.REM_INV_REQ_ERR, Aeth.NAK_REMOTE_ACCESS_ERROR);
      return;
    }
    received += length;
    operation = SEND;
    responder.accept(packet, 1);
    if (RcOpcode.isLast(packet.opcode())) {
      operation = NONE;
      completeReceive(packet, WcOpcode.RECV, (int) received);
    }
  }

  /** Takes the oldest posted receive, or sends a receiver-not-ready NAK. */
  private boolean beginReceive(boolean withBuffers) {
    ReceiveQueue.Wqe wqe = rq.take();
    if (wqe == null) {
      qp.rnrOwed = true;
      rq.awaitPost();
      if (rq.isEmpty()) {
        responder.notReady();
        return false;
      }
      qp.rnrOwed = false;
      wqe = rq.take();
    }
    qp.rnrOwed = false;
    receive = wqe;
    received = 0;
    if (!withBuffers) {
      return true;
    }
    Mr[] regions = hca.access.resolve(wqe.sgList, wqe.regions, qp.receivePd(), Access.LOCAL_WRITE);
    if (regions == null) {
      failReceive(WcStatus.LOC_PROT_ERR, Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
      return false;
    }
    wqe.regions = regions;
    return true;
  }

  private void completeReceive(Packet packet, WcOpcode opcode, int byteLen) {
    boolean imm = Opcode.hasImmDt(packet.opcode());
    boolean inv = Opcode.hasIeth(packet.opcode());
    if (inv) {
      hca.windows.invalidateByPeer(qp, packet.rkey());
    }
    long wrId = receive.wrId;
    rq.done();
    receive = null;
    hca.completions.completeReceive(qp, wrId, WcStatus.SUCCESS, opcode, byteLen, imm, inv, inv ? packet.rkey() : packet.immediate(),
        packet.solicited());
  }

  private void failReceive(WcStatus status, int syndrome) {
    long wrId = receive.wrId;
    rq.done();
    receive = null;
    hca.completions.completeReceive(qp, wrId, status, WcOpcode.RECV, 0, false, false, 0, true);
    qp.fail(status.name());
    responder.fatal(syndrome, null);
  }

  void onWrite(Packet packet) {
    if (!inSequence(packet, WRITE)) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (RcOpcode.isFirst(packet.opcode()) && !beginWrite(packet)) {
      return;
    }
    int length = packet.payload().length();
    boolean last = RcOpcode.isLast(packet.opcode());
    if (length > writeLeft || (last && length != writeLeft)) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (!packet.payload().isReadable()) {
      hca.counters.packetsDropped++;
      return;
    }
    boolean names = Opcode.hasImmDt(packet.opcode()) && qp.eventCounters != null;
    if (names && !qp.eventCounters.has(packet.immediate())) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    boolean imm = Opcode.hasImmDt(packet.opcode()) && !names;
    if (imm && receive == null && !beginReceive(false)) {
      return;
    }
    if (length > 0 && !hca.access.place(packet.payload(), writeRegion, writeAddr, !last)) {
      responder.fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
      return;
    }
    writeAddr += length;
    writeLeft -= length;
    operation = last ? NONE : WRITE;
    responder.accept(packet, 1);
    if (last) {
      qp.counters.completed(CompletionCounter.Operation.REMOTE_RDMA_WRITE, true);
    }
    if (imm) {
      completeReceive(packet, WcOpcode.RECV_RDMA_WITH_IMM, (int) writeTotal);
    } else if (names) {
      qp.countEvent(packet.immediate());
    }
  }

  private boolean beginWrite(Packet packet) {
    writeAddr = packet.va();
    writeTotal = Integer.toUnsignedLong(packet.dmaLength());
    writeLeft = writeTotal;
    writeRegion = null;
    if (writeTotal > hca.settings.messageMaxBytes()) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return false;
    }
    if ((qp.accessFlags & Access.REMOTE_WRITE) == 0) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return false;
    }
    if (writeTotal == 0) {
      return true;
    }
    writeRegion = hca.memory.findRemote(packet.rkey(), qp, packet.va(), writeTotal, Access.REMOTE_WRITE);
    if (writeRegion == null) {
      responder.fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
      return false;
    }
    return true;
  }
}
