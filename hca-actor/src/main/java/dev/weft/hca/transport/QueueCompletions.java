package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.completion.Cqe;
import dev.weft.hca.completion.QueueSlots;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;

/** Writes the results of requests into the rings of completion queues. Hardware thread. */
final class QueueCompletions {
  private final TransportDevice hca;

  QueueCompletions(TransportDevice hca) {
    this.hca = hca;
  }

  /** Completes a send request. Polling the completion frees the slots of the send queue before {@code slotsBefore}. */
  void completeSend(QpContext qp, long slotsBefore, long wrId, WcOpcode opcode, WcStatus status, int byteLen) {
    Cq cq = qp.sendCq();
    Cqe cqe = cq.claim();
    if (cqe == null) {
      qp.sendSlots().forget(slotsBefore);
      hca.overrun(cq);
      return;
    }
    fill(cqe, qp, wrId, status, opcode, byteLen);
    cqe.returns(qp.sendSlots(), slotsBefore);
    cq.push(status != WcStatus.SUCCESS);
  }

  private static void fill(Cqe cqe, QpContext qp, long wrId, WcStatus status, WcOpcode opcode, int byteLen) {
    cqe.fill(qp.qpNum(), wrId, status, opcode, byteLen);
    cqe.peer(qp.destLid, qp.destQpNum, qp.serviceLevel);
  }

  void completeReceive(QpContext qp, long wrId, WcStatus status, WcOpcode opcode, int byteLen, boolean withImm,
      boolean withInv, int imm, boolean solicitedOrError) {
    qp.counters.completed(CompletionCounter.Operation.RECV, status == WcStatus.SUCCESS);
    Cqe cqe = claimReceive(qp);
    if (cqe == null) {
      return;
    }
    fill(cqe, qp, wrId, status, opcode, byteLen);
    cqe.brought(withImm, withInv, imm);
    qp.receiveCq().push(solicitedOrError);
  }

  /** Returns the entry for the completion of the last taken receive. Returns null if there is no room, after handling the overrun. */
  private Cqe claimReceive(QpContext qp) {
    QueueSlots slots = qp.receiveSlots();
    long before = qp.receivesTaken();
    Cqe cqe = qp.receiveCq().claim();
    if (cqe != null) {
      cqe.returns(slots, before);
      return cqe;
    }
    if (slots != null) {
      slots.forget(before);
    }
    hca.overrun(qp.receiveCq());
    return null;
  }

  /** Completes the receive of a datagram, which was placed after its header. */
  void completeDatagram(QpContext qp, long wrId, int byteLen, Packet packet) {
    qp.counters.completed(CompletionCounter.Operation.RECV, true);
    Cqe cqe = claimReceive(qp);
    if (cqe == null) {
      return;
    }
    cqe.fill(qp.qpNum(), wrId, WcStatus.SUCCESS, WcOpcode.RECV, byteLen);
    cqe.peer(packet.srcLid(), packet.srcQp(), packet.serviceLevel());
    cqe.brought(Opcode.hasImmDt(packet.opcode()), false, packet.immediate());
    cqe.datagram();
    qp.receiveCq().push(packet.solicited());
  }
}
