package dev.weft.hca.transport;

import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;

/** Changes the state of a queue pair, with the effects on its posted requests. Hardware thread. */
public final class QpStates {
  private final QueueDevice hca;

  QpStates(QueueDevice hca) {
    this.hca = hca;
  }

  /** Takes the queue pair to ERR and flushes it; {@code event} may be null. */
  public void toError(Qp qp, AsyncEvent.Type event) {
    toError(qp, event, false);
  }

  /** Like {@link #toError(Qp, AsyncEvent.Type)}, but the responder still sends the responses that it owes its peer. */
  void toErrorAfterAnswers(Qp qp, AsyncEvent.Type event) {
    toError(qp, event, true);
  }

  private void toError(Qp qp, AsyncEvent.Type event, boolean keepAnswers) {
    if (qp.state == QpState.ERR) {
      return;
    }
    if (event != null) {
      qp.fail(event.name());
    }
    qp.state = QpState.ERR;
    qp.lease.revoke();
    qp.count(false);
    flushRequester(qp);
    qp.responder.flush(keepAnswers);
    if (event != null) {
      hca.event(event, qp.qpNum());
    }
    if (qp.srq() != null) {
      hca.event(AsyncEvent.Type.QP_LAST_WQE_REACHED, qp.qpNum()); // It no longer takes receives of its shared queue.
    }
  }

  /** Handles a failed request of a UC or UD queue pair: the send queue stops, the receive queue continues. */
  void toSendQueueError(Qp qp) {
    if (qp.state == QpState.RTS || qp.state == QpState.SQD) {
      qp.state = QpState.SQE;
      flushRequester(qp);
    }
  }

  /** Flushes the posted requests. The next post rings the doorbell again, so that it is flushed too. */
  public static void flushRequester(Qp qp) {
    do {
      qp.requester.flush();
    } while (qp.sleepUnlessPosted());
  }

  /** Reports that the send queue is drained, in SQD. */
  void drained(Qp qp) {
    if (qp.drainNotify) {
      qp.drainNotify = false;
      hca.event(AsyncEvent.Type.SQ_DRAINED, qp.qpNum());
    }
  }

  public static void reset(Qp qp) {
    qp.state = QpState.RESET;
    qp.forgetFailure();
    qp.lease.revoke();
    qp.takeAnswersBack();
    qp.count(false);
    qp.drainNotify = false;
    do {
      qp.requester.reset();
    } while (qp.sleepUnlessPosted());
    qp.responder.reset();
  }

  /** Changes the state or attributes, as {@link QueuePair#modify} describes. */
  void modify(Qp qp, QpAttr attr) {
    if (qp.destroyed) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "queue pair " + qp.qpNum() + " is destroyed");
    }
    QpState from = qp.state;
    QpTransitions.check(qp.qpNum(), qp.type(), from, attr, hca.settings);
    QpState to = (attr.mask() & QpAttr.STATE) != 0 ? attr.state() : from;
    if (from == QpState.SQD && (to == QpState.RTS || to == QpState.SQD) && !qp.requester.isDrained()) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "the send queue of queue pair " + qp.qpNum()
          + " is still draining; wait for SQ_DRAINED, see EN_SQD_ASYNC_NOTIFY");
    }
    qp.apply(attr);
    switch (to) {
      case RESET -> reset(qp);
      case ERR -> {
        qp.takeAnswersBack();
        if (qp.sendQueueSize() > 0) {
          qp.fail(WcStatus.WR_FLUSH_ERR.name()); // The connection ended before its requests completed.
        }
        toError(qp, null);
      }
      case INIT, SQE -> qp.state = to;
      case RTR -> {
        qp.responder.start(qp.rqPsn, qp.maxDestRdAtomic);
        qp.state = to;
        qp.count(true);
      }
      case RTS -> {
        if (from == QpState.RTR) {
          qp.requester.start(qp.sqPsn);
        }
        qp.state = to;
        hca.activate(qp);
      }
      case SQD -> {
        qp.state = to;
        qp.responder.resize(qp.maxDestRdAtomic);
        if (qp.requester.isDrained()) {
          drained(qp);
        }
      }
    }
    hca.pump();
  }
}
