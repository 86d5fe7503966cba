package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;

/** The common part of the responder halves of UC and UD: posted receives, and messages that are dropped silently. */
abstract class UnreliableResponder extends Responder {
  final QpContext qp;
  final TransportDevice hca;
  final ReceiveSource rq;

  UnreliableResponder(QpContext qp, TransportDevice hca, ReceiveSource rq) {
    this.qp = qp;
    this.hca = hca;
    this.rq = rq;
  }

  @Override
  void reset() {
    rq.discard();
  }

  /**
   * Returns the oldest posted receive, with its regions if the message needs its buffers. Returns null if there is none, which it counts, or if the
   * receive cannot be used, which takes the queue pair to ERR.
   */
  final ReceiveQueue.Wqe usableReceive(boolean withBuffers) {
    ReceiveQueue.Wqe wqe = rq.take();
    if (wqe == null) {
      hca.counters.receivesMissing++;
      return null;
    }
    if (withBuffers) {
      Mr[] regions = hca.access.resolve(wqe.sgList, wqe.regions, qp.receivePd(), Access.LOCAL_WRITE);
      if (regions == null) {
        failReceive(wqe);
        return null;
      }
      wqe.regions = regions;
    }
    return wqe;
  }

  /** Fails a receive, and the queue pair, because the HCA must not write its memory. */
  final void failReceive(ReceiveQueue.Wqe wqe) {
    long wrId = wqe.wrId;
    rq.done();
    hca.completions.completeReceive(qp, wrId, WcStatus.LOC_PROT_ERR, WcOpcode.RECV, 0, false, false, 0, true);
    qp.fail(WcStatus.LOC_PROT_ERR.name());
    qp.toError(null);
  }

  /** Counts a dropped message; its sender is not notified. */
  final void drop(Packet packet) {
    hca.counters.messagesDropped++;
  }

  @Override
  public void flush(boolean keepAnswers) {
    for (ReceiveQueue.Wqe wqe = rq.nextToFlush(); wqe != null; wqe = rq.nextToFlush()) {
      long wrId = wqe.wrId;
      rq.done();
      hca.completions.completeReceive(qp, wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, false, false, 0, true);
    }
  }
}
