package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.Stall;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;

/**
 * The responder half of a reliable connected queue pair (specification volume 1, sections 9.7.4, 9.7.5 and 9.7.8). It accepts requests in
 * PSN order and passes them to {@link RcMessages} and {@link RcOperations}, which place and execute them. It answers reads and atomics from a
 * bounded queue of jobs, and other requests by coalesced acknowledgements. Used on the hardware thread only.
 *
 * <p>Invariants: answers leave in PSN order; a request is executed once, however often it arrives; atomics are answered from a saved
 * result when they arrive again.
 */
final class RcResponder extends Responder {
  private static final long READY = Long.MIN_VALUE;

  private final QpContext qp;
  private final TransportDevice hca;
  private final ReceiveSource rq;
  private final RcMessages messages;
  private final RcOperations operations;
  private final SequenceWindow window;

  private int ePsn;
  private int msn;
  private boolean ackOwed;
  private int ackPsn;
  private int nakSyndrome = -1;
  private int nakPsn;
  private boolean sequenceNakSent;
  private boolean established;
  /** Whether a packet without credit was rejected. The next acknowledgement then has credit code 0, even if there is room again. */
  private boolean refused;
  /** The time since which messages have found no receive, or {@link #READY}. */
  private long notReadySinceNs = READY;

  RcResponder(QpContext qp, TransportDevice hca, ReceiveSource rq) {
    this.qp = qp;
    this.hca = hca;
    this.rq = rq;
    messages = new RcMessages(qp, hca, rq, this);
    operations = new RcOperations(qp, hca, messages, this);
    window = new SequenceWindow(hca.settings.sequenceWindowPackets(), hca.access.copies());
  }

  @Override
  void reset() {
    messages.reset();
    operations.reset();
    ackOwed = false;
    nakSyndrome = -1;
    sequenceNakSent = false;
    established = false;
    refused = false;
    window.clear();
    msn = 0;
    qp.rnrOwed = false;
    notReadySinceNs = READY;
    rq.discard();
  }

  @Override
  void start(int rqPsn, int maxDestRdAtomic) {
    ePsn = rqPsn;
    operations.start(maxDestRdAtomic);
  }

  /** Changes the number of reads and atomics that the peer may have outstanding; keeps queued jobs and saved results. */
  @Override
  void resize(int maxDestRdAtomic) {
    operations.resize(maxDestRdAtomic);
  }

  @Override
  int ePsn() {
    return ePsn;
  }

  @Override
  Stall stall(long nowNs) {
    return notReadySinceNs == READY || !rq.isEmpty() ? Stall.NONE : new Stall(Stall.Cause.RECEIVE_MISSING, nowNs - notReadySinceNs);
  }

  @Override
  public boolean hasAnswer() {
    return operations.hasAnswer() || nakSyndrome >= 0 || ackOwed;
  }

  @Override
  public void onRequest(Packet packet) {
    int distance = Psn.diff(packet.psn(), ePsn);
    if (distance < 0) {
      onDuplicate(packet);
    } else if (distance > 0) {
      if (!window.keep(packet, distance)) {
        onGap();
      }
    } else {
      onExpected(packet);
      for (Packet kept = window.take(ePsn); kept != null && qp.state != QpState.ERR; kept = window.take(ePsn)) {
        hca.unpinned.begin(qp.unpinned);
        onExpected(kept);
      }
    }
  }

  private void onGap() {
    hca.counters.outOfSequenceRequests++;
    if (!sequenceNakSent && !qp.rnrOwed && nakSyndrome < 0) {
      sequenceNakSent = true;
      nak(ePsn, Aeth.NAK_PSN_SEQUENCE_ERROR);
    }
  }

  private void onExpected(Packet packet) {
    if (hca.unpinned.refuses(packet)) {
      sequenceNakSent = true; // The following packets are rejected too, and the acknowledgement reports that, so no NAK is needed.
      refused = true;
      oweAck(Psn.add(ePsn, -1));
      return;
    }
    sequenceNakSent = false;
    refused = false;
    if (!established) {
      established = true;
      if (qp.state == QpState.RTR) {
        hca.event(AsyncEvent.Type.COMM_EST, qp.qpNum());
      }
    }
    int opcode = packet.opcode();
    if (opcode == Opcode.RC_RDMA_READ_REQUEST) {
      operations.onRead(packet);
    } else if (opcode == Opcode.RC_CMP_SWAP || opcode == Opcode.RC_FETCH_ADD) {
      operations.onAtomic(packet);
    } else if (RcPlacement.isPlacement(opcode)) {
      operations.onPlacement(packet);
    } else if (opcode <= Opcode.RC_SEND_ONLY_WITH_IMM || Opcode.hasIeth(opcode)) {
      messages.onSend(packet);
    } else {
      messages.onWrite(packet);
    }
  }

  /** Accepts a packet and advances the expected PSN by {@code packets}. */
  void accept(Packet packet, int packets) {
    if (nakSyndrome >= 0 && Aeth.kind(nakSyndrome) == Aeth.RNR_NAK) {
      nakSyndrome = -1; // The unsent RNR NAK is no longer true.
    }
    notReadySinceNs = READY;
    ePsn = Psn.add(ePsn, packets);
    int opcode = packet.opcode();
    if (RcOpcode.isLast(opcode) || !RcOpcode.isMessage(opcode)) {
      msn = (msn + 1) & Psn.MASK;
    }
    if (RcOpcode.isMessage(opcode)) {
      ackPsn = packet.psn();
      if (packet.ackReq()) {
        ackOwed = true;
        qp.activateLater();
      }
    }
  }

  private void onDuplicate(Packet packet) {
    hca.counters.duplicateRequests++;
    int opcode = packet.opcode();
    if (opcode == Opcode.RC_RDMA_READ_REQUEST) {
      operations.repeatRead(packet);
    } else if (opcode == Opcode.RC_CMP_SWAP || opcode == Opcode.RC_FETCH_ADD) {
      operations.repeatAtomic(packet);
    } else if (RcPlacement.isPlacement(opcode)) {
      operations.repeatPlacement(packet);
    } else if (operations.isWaiting()) {
      operations.owePatience();
    } else if (!ackOwed || Psn.diff(packet.psn(), ackPsn) > 0) {
      ackOwed = true;
      ackPsn = packet.psn();
      qp.activateLater();
    }
  }

  /** Sends an RNR NAK, because no receive is posted for the next message. */
  void notReady() {
    if (notReadySinceNs == READY) {
      notReadySinceNs = hca.nowNs();
    }
    nak(ePsn, Aeth.RNR_NAK | qp.minRnrTimer);
  }

  /** Whether an ACK or a NAK waits to be sent. */
  boolean owesAcknowledgement() {
    return ackOwed || nakSyndrome >= 0;
  }

  /** Schedules a NAK, which also acknowledges everything before its PSN. */
  void nak(int psn, int syndrome) {
    nakSyndrome = syndrome;
    nakPsn = psn;
    ackOwed = false;
    qp.activate();
  }

  /** Rejects a request: sends the peer a NAK with the reason and takes the queue pair to ERR. */
  void fatal(int syndrome, AsyncEvent.Type event) {
    fatal(ePsn, syndrome, event);
  }

  void fatal(int psn, int syndrome, AsyncEvent.Type event) {
    nak(psn, syndrome);
    qp.toErrorAfterAnswers(event);
  }

  /** Sends an ACK when a receive is posted after an RNR NAK, so that the peer need not wait for its timer. */
  @Override
  public void onReceivePosted() {
    if (qp.rnrOwed && !rq.isEmpty()) {
      qp.rnrOwed = false;
      ackOwed = true;
      ackPsn = Psn.add(ePsn, -1);
      qp.activate();
    }
  }

  @Override
  public boolean transmitOne() {
    if (operations.look()) {
      return operations.askPatience();
    }
    if (operations.hasAnswer()) {
      operations.transmitOne();
      return true;
    }
    if (nakSyndrome >= 0) {
      int syndrome = nakSyndrome;
      nakSyndrome = -1;
      countNak(syndrome);
      hca.send(answer(Opcode.RC_ACKNOWLEDGE, nakPsn, syndrome, 0, Payload.EMPTY));
      return true;
    }
    if (ackOwed) {
      ackOwed = refused && qp.unpinned.room() > 0;
      int credit = refused ? 0 : qp.creditCode();
      refused = false;
      hca.counters.acksSent++;
      // No answers are queued, so all accepted packets can be acknowledged. The peer ignores the credit in an ACK of an old PSN.
      int psn = qp.unpinned.hasCredit() ? Psn.add(ePsn, -1) : ackPsn;
      hca.send(answer(Opcode.RC_ACKNOWLEDGE, psn, Aeth.ACK | credit, 0, Payload.EMPTY));
      return true;
    }
    return false;
  }

  private void oweAck(int psn) {
    ackOwed = true;
    ackPsn = psn;
    qp.activate();
  }

  /** Schedules an acknowledgement with the new credit, unless one is already owed. */
  @Override
  void onRoom() {
    if (qp.state != QpState.RESET && qp.state != QpState.INIT && qp.state != QpState.ERR && established && !ackOwed) {
      oweAck(Psn.add(ePsn, -1));
    }
  }

  void countNak(int syndrome) {
    if (Aeth.kind(syndrome) == Aeth.RNR_NAK) {
      hca.counters.rnrNaksSent++;
    } else {
      hca.counters.naksSent++;
    }
  }

  /** Returns a packet to the peer with the current message sequence number. */
  Packet answer(int opcode, int psn, int syndrome, long original, Payload payload) {
    boolean aeth = Opcode.hasAeth(opcode);
    return new Packet(opcode, hca.lid(), qp.destLid, qp.serviceLevel, false, false, Packet.DEFAULT_PKEY, qp.destQpNum, psn, 0, 0,
        0, aeth ? syndrome : 0, aeth ? msn : 0, 0, original, 0, payload);
  }

  @Override
  public void flush(boolean keepAnswers) {
    if (!keepAnswers) {
      operations.clear();
      ackOwed = false;
      nakSyndrome = -1;
    }
    messages.reset();
    qp.rnrOwed = false;
    notReadySinceNs = READY;
    window.clear();
    for (ReceiveQueue.Wqe wqe = rq.nextToFlush(); wqe != null; wqe = rq.nextToFlush()) {
      long wrId = wqe.wrId;
      rq.done();
      hca.completions.completeReceive(qp, wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, false, false, 0, true);
    }
  }
}
