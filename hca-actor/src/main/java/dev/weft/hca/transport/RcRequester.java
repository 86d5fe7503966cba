package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.Stall;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WrOpcode;

/**
 * The requester half of a reliable connected queue pair (specification volume 1, sections 9.7.3 to 9.7.7). It sends the packets of its {@link
 * RcSendWindow} by {@link RcTransmission}, retransmits from the first unacknowledged packet, and completes requests in order. Used on the hardware
 * thread only; callers pass the time.
 */
final class RcRequester extends Requester {
  /** The RNR retry count for unlimited retries. */
  private static final int RNR_FOR_EVER = 7;

  private final QpContext qp;
  private final TransportDevice hca;
  private final SendQueue sq;

  private int rnrRetriesLeft;
  private final StallHistory stalls = new StallHistory();
  private boolean rnrWait;
  /** Whether transmission has gone back because of a loss. Until the next acknowledgement, later responses belong to the first transmission. */
  private boolean lossHandled;
  private final SendCredit credit = new SendCredit();
  private final RcSendWindow window;
  private final RcTransmission transmission;
  private final RcResponses responses;

  RcRequester(QpContext qp, TransportDevice hca, SendQueue sq) {
    this.qp = qp;
    this.hca = hca;
    this.sq = sq;
    window = new RcSendWindow(sq);
    transmission = new RcTransmission(qp, hca, window, credit);
    responses = new RcResponses(qp, hca, this);
  }

  @Override
  public void reset() {
    window.reset();
    transmission.reset();
    rnrWait = false;
    lossHandled = false;
    responses.takeRefused();
    credit.reset();
    deadlineNs = NEVER;
  }

  @Override
  void start(int sqPsn) {
    window.start(sqPsn);
    retries.start(qp.retryCnt);
    rnrRetriesLeft = qp.rnrRetry;
    lossHandled = false;
    stalls.clear();
  }

  @Override
  int psnMax() {
    return window.psnMax;
  }

  @Override
  int psnUna() {
    return window.psnUna;
  }

  @Override
  Stall stall(long nowNs) {
    if (sq.size() > 0) {
      return qp.state == QpState.RTS ? stalls.stall(nowNs, retries) : Stall.NONE;
    }
    return sq.taken() >= sq.depth ? stalls.notPolled(nowNs) : Stall.NONE;
  }

  @Override
  boolean isRnrWaiting() {
    return rnrWait;
  }

  @Override
  public boolean allSent() {
    return window.allSent();
  }

  @Override
  public int serviceLevel() {
    return qp.serviceLevel;
  }

  @Override
  public boolean waitsForLink() {
    return true;
  }

  @Override
  public boolean transmitOne(long nowNs) {
    while (!rnrWait && !window.allSent()) {
      SendWqe wqe = window.current();
      if (!wqe.started) {
        if (qp.state != QpState.RTS || !transmission.mayStart(wqe)) {
          return false;
        }
        if (!transmission.start(wqe)) {
          complete(wqe);
          continue;
        }
      }
      if (wqe.localError == null && !transmission.isSourceUsable(wqe)) {
        wqe.localError = WcStatus.LOC_PROT_ERR;
      }
      if (wqe.localError != null) {
        failPendingLocalError();
        return false;
      }
      int psn = Psn.add(wqe.firstPsn, window.sentPackets);
      if (Psn.diff(psn, window.psnUna) >= hca.settings.windowPackets()) {
        return false;
      }
      if (!credit.allows(psn)) {
        hca.counters.creditStalls++;
        stalls.onNoCredit(nowNs);
        if (deadlineNs == NEVER) {
          armTimer(nowNs);
        }
        return false;
      }
      if (wqe.unpinned && !gather(wqe)) {
        return false;
      }
      transmission.send(wqe, psn);
      if (deadlineNs == NEVER) {
        armTimer(nowNs);
      }
      return true;
    }
    return false;
  }

  /** Locks the pages of the next packet; returns false if it cannot be sent now. */
  private boolean gather(SendWqe wqe) {
    NicPages.Outcome outcome = transmission.gather(wqe);
    if (outcome == NicPages.Outcome.DENIED) {
      wqe.localError = WcStatus.LOC_PROT_ERR;
      failPendingLocalError();
    }
    return outcome == NicPages.Outcome.DONE;
  }

  @Override
  public void onResponse(Packet packet, long nowNs) {
    if (packet.opcode() != Opcode.RC_ACKNOWLEDGE && Opcode.hasAeth(packet.opcode())) {
      credit.onAnswer(packet.psn(), Aeth.value(packet.syndrome()));
    }
    switch (packet.opcode()) {
      case Opcode.RC_ACKNOWLEDGE -> onAcknowledge(packet.psn(), packet.syndrome(), nowNs);
      case Opcode.RC_ATOMIC_ACKNOWLEDGE -> responses.onAtomic(packet, nowNs);
      default -> responses.onRead(packet, nowNs);
    }
  }

  /** Handles an ACK of everything up to {@code psn}, or a NAK at {@code psn}. */
  private void onAcknowledge(int psn, int syndrome, long nowNs) {
    int kind = Aeth.kind(syndrome);
    if (Psn.diff(psn, window.sentEnd()) >= 0) {
      hca.counters.packetsDropped++;
      return;
    }
    if (kind == Aeth.ACK && Psn.diff(psn, window.psnUna) >= -1) {
      onCredit(psn, Aeth.value(syndrome), nowNs);
    }
    if (Psn.diff(psn, window.psnUna) < 0) {
      if (rnrWait && kind == Aeth.ACK && Psn.add(psn, 1) == window.psnUna) {
        hca.counters.rnrResumes++;
        if (rnrRetriesLeft < qp.rnrRetry) {
          rnrRetriesLeft++; // The wait was shortened, perhaps by a late ACK, so it does not count as a retry.
        }
        resumeAfterRnr(nowNs);
      }
      return;
    }
    switch (kind) {
      case Aeth.ACK -> {
        if (acknowledge(psn, nowNs)) {
          sendRefusedAgain(psn, Aeth.value(syndrome));
        }
      }
      case Aeth.RNR_NAK -> onRnrNak(psn, Aeth.value(syndrome), nowNs);
      case Aeth.NAK -> onNak(psn, syndrome, nowNs);
      default -> hca.counters.packetsDropped++;
    }
  }

  private void onCredit(int psn, int code, long nowNs) {
    credit.onAck(psn, code);
    if (credit.allows(window.nextPsn())) {
      stalls.onCredit();
    }
    if (code == Aeth.CREDIT_INVALID) {
      return;
    }
    retries.onAnswer(qp.retryCnt, nowNs); // The peer may wait long for its pages.
    sendRefusedAgain(psn, code);
    if (!allSent()) {
      qp.activate();
    }
  }

  /**
   * Goes back if the peer has rejected packets: credit code 0 means that it has not accepted the packets after {@code psn}. All packets up to {@code
   * psn} must be acknowledged, perhaps by the same packet. So this is called before and after that packet is processed.
   */
  private void sendRefusedAgain(int psn, int code) {
    if (code == 0 && !rnrWait && Psn.diff(psn, window.psnUna) == -1 && Psn.diff(window.nextPsn(), window.psnUna) > 0) {
      goBack(window.psnUna);
    }
  }

  @Override
  void onRoom() {
    if (responses.takeRefused()) {
      goBack(window.psnUna);
    }
  }

  /** Completes the requests that {@code psn} acknowledges. Returns false if an earlier response to a read or atomic was lost and is requested again. */
  private boolean acknowledge(int psn, long nowNs) {
    boolean progress = false;
    while (window.isHeadAssigned()) {
      SendWqe wqe = window.head();
      if (Psn.diff(wqe.lastPsn(), psn) > 0) {
        break;
      }
      if (wqe.opcode.hasResponse()) {
        if (progress) {
          progressed(nowNs);
        }
        if (qp.state != QpState.ERR) {
          responseLost(nowNs);
        }
        return false;
      }
      window.psnUna = Psn.add(wqe.lastPsn(), 1);
      progress = true;
      complete(wqe);
      if (qp.state == QpState.ERR) {
        return false;
      }
    }
    if (window.isHeadAssigned() && Psn.diff(psn, window.psnUna) >= 0 && !window.head().opcode.hasResponse()) {
      window.psnUna = Psn.add(psn, 1);
      progress = true;
    }
    if (progress) {
      progressed(nowNs);
    }
    return true;
  }

  private void progressed(long nowNs) {
    retries.onAnswer(qp.retryCnt, nowNs);
    stalls.onProgress(nowNs);
    rnrRetriesLeft = qp.rnrRetry;
    rnrWait = false;
    lossHandled = false;
    if (window.skipAcknowledged()) {
      qp.activate(); // If nothing is left to send, its turn resets the doorbell, so that the next post rings.
    }
    if (window.hasOutstanding()) {
      armTimer(nowNs);
    } else {
      deadlineNs = NEVER;
    }
    failPendingLocalError();
    if (qp.state != QpState.ERR && !allSent()) {
      qp.activate();
    }
    if (isDrained()) {
      qp.drained();
    }
  }

  @Override
  boolean isDrained() {
    return qp.state == QpState.SQD && !window.hasOutstanding();
  }

  private void failPendingLocalError() {
    if (window.una == window.next && !window.allSent() && qp.state != QpState.ERR) {
      SendWqe wqe = window.head();
      if (wqe.started && wqe.localError != null) {
        failHead(wqe.localError);
      }
    }
  }

  private void onRnrNak(int psn, int timerCode, long nowNs) {
    hca.counters.rnrNaksReceived++;
    if (rnrWait) {
      return; // A duplicate: no packet was sent since the last RNR NAK.
    }
    if (!acknowledgeBefore(psn, nowNs) || qp.state == QpState.ERR || !window.isHeadAssigned()) {
      return;
    }
    if (rnrRetriesLeft == 0) {
      failHead(WcStatus.RNR_RETRY_EXC_ERR);
      return;
    }
    if (rnrRetriesLeft < RNR_FOR_EVER) {
      rnrRetriesLeft--;
    }
    retries.onAnswer(qp.retryCnt, nowNs); // Losses during a long wait for a receive must not accumulate.
    goBack(psn);
    rnrWait = true;
    deadlineNs = nowNs + stalls.onRnrNak(nowNs, TransportTimer.rnrNs(timerCode), rnrRetriesLeft == RNR_FOR_EVER);
    qp.timerChanged();
  }

  private void onNak(int psn, int syndrome, long nowNs) {
    if (!acknowledgeBefore(psn, nowNs) || qp.state == QpState.ERR || !window.isHeadAssigned()) {
      return;
    }
    switch (syndrome) {
      case Aeth.NAK_PSN_SEQUENCE_ERROR -> {
        hca.counters.sequenceNaksReceived++;
        if (!rnrWait) {
          retry(nowNs);
        }
      }
      case Aeth.NAK_INVALID_REQUEST -> failHead(WcStatus.REM_INV_REQ_ERR);
      case Aeth.NAK_REMOTE_ACCESS_ERROR -> failHead(WcStatus.REM_ACCESS_ERR);
      case Aeth.NAK_REMOTE_OPERATIONAL_ERROR -> failHead(WcStatus.REM_OP_ERR);
      case Aeth.NAK_INVALID_RD_REQUEST -> failHead(WcStatus.REM_INV_RD_REQ_ERR);
      default -> hca.counters.packetsDropped++;
    }
  }

  private boolean acknowledgeBefore(int psn, long nowNs) {
    return psn == window.psnUna || acknowledge(Psn.add(psn, -1), nowNs);
  }

  /** Returns the request of a response if it is the next expected response. Otherwise drops it or goes back, and returns null. */
  SendWqe expectResponse(int psn, long nowNs) {
    if (Psn.diff(psn, window.psnUna) < 0 || Psn.diff(psn, window.sentEnd()) >= 0) {
      hca.counters.packetsDropped++;
      return null;
    }
    if (psn != window.psnUna && (!acknowledge(Psn.add(psn, -1), nowNs) || qp.state == QpState.ERR)) {
      return null;
    }
    if (psn != window.psnUna) {
      responseLost(nowNs);
      return null;
    }
    if (!window.isHeadAssigned()) {
      hca.counters.packetsDropped++;
      return null;
    }
    return window.head();
  }

  /** Goes back, once, because a later response shows that the next expected one was lost. Responses already in flight may follow. */
  void responseLost(long nowNs) {
    if (!lossHandled) {
      hca.counters.impliedNaks++;
      retry(nowNs);
    }
  }

  /** Reports that a response was rejected and will be requested again, so that later responses do not count as a sign of loss. */
  void expectLoss() {
    lossHandled = true;
  }

  /** Reports that the next expected response was accepted. */
  void responseDone(SendWqe wqe, boolean last, long nowNs) {
    window.psnUna = Psn.add(window.psnUna, 1);
    if (last) {
      complete(wqe);
    }
    if (qp.state != QpState.ERR) {
      progressed(nowNs);
    }
  }

  /** Retransmits from the first unacknowledged packet, or fails if no retries are left. */
  private void retry(long nowNs) {
    if (rnrWait) {
      return;
    }
    if (retries.left() == 0) {
      failHead(WcStatus.RETRY_EXC_ERR);
      return;
    }
    retries.onRetry(qp.retryCnt);
    lossHandled = true;
    goBack(window.psnUna);
    armTimer(nowNs);
  }

  private void goBack(int psn) {
    window.goBack(psn);
    qp.activate();
  }

  /** Resumes sending, because the peer has receives again or the wait has ended. */
  private void resumeAfterRnr(long nowNs) {
    rnrWait = false;
    armTimer(nowNs);
    qp.activate();
  }

  @Override
  void onDeadline(long nowNs) {
    long waitedSinceNs = deadlineNs - TransportTimer.ackTimeoutNs(qp.timeout);
    deadlineNs = NEVER;
    if (rnrWait) {
      hca.counters.rnrTimeouts++;
      resumeAfterRnr(nowNs);
    } else if (!credit.allows(window.psnUna)) {
      hca.counters.timeouts++;
      credit.probe(window.psnUna);
      qp.activate();
      armTimer(nowNs);
    } else if (qp.unpinned.awaitsPage() && window.nextPsn() == window.psnUna) {
      armTimer(nowNs); // All sent packets are acknowledged; this host is waiting for its own page.
    } else if (window.hasOutstanding() || (qp.state == QpState.RTS && !allSent())) {
      hca.counters.timeouts++;
      retries.onTimeout(waitedSinceNs, nowNs);
      retry(nowNs);
    }
  }

  /** Starts the timer, so that requests that wait for the link time out like sent ones. */
  @Override
  public void onLinkDown(long nowNs) {
    if (deadlineNs == NEVER && qp.state == QpState.RTS && !allSent()) {
      armTimer(nowNs);
    }
  }

  private void armTimer(long nowNs) {
    long timeoutNs = TransportTimer.ackTimeoutNs(qp.timeout);
    deadlineNs = timeoutNs == NEVER ? NEVER : nowNs + timeoutNs;
    qp.timerChanged();
  }

  private void complete(SendWqe wqe) {
    transmission.completed(wqe);
    boolean signaled = wqe.has(SendFlags.SIGNALED) || qp.sqSigAll;
    release(wqe, signaled ? WcStatus.SUCCESS : null, wqe.opcode.isReadOrAtomic() ? (int) wqe.length : 0);
  }

  /**
   * Ends the oldest request; writes a completion unless {@code status} is null. Polling that completion, or the next one, frees the request's slot.
   */
  private void release(SendWqe wqe, WcStatus status, int byteLen) {
    long wrId = wqe.wrId;
    WrOpcode opcode = wqe.opcode;
    window.una++;
    sq.complete(window.una);
    qp.counters.sendCompleted(opcode, status == null || status == WcStatus.SUCCESS);
    if (status != null) {
      hca.completions.completeSend(qp, window.una, wrId, opcode.completion(), status, byteLen);
    }
  }

  /** Fails the oldest request and the queue pair. */
  void failHead(WcStatus status) {
    qp.fail(status.name());
    qp.lease.revoke(); // Revoke before the program polls the completion and may change the bytes. toError revokes again before it flushes.
    release(window.head(), status, 0);
    qp.toError(null);
  }

  @Override
  void flush() {
    deadlineNs = NEVER;
    rnrWait = false;
    lossHandled = false;
    responses.takeRefused();
    while (window.una < sq.tail()) {
      release(window.head(), WcStatus.WR_FLUSH_ERR, 0);
    }
    window.flushed();
    transmission.reset();
  }
}
