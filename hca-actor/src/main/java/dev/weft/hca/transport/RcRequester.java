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
 * The requester half of a reliable connected queue pair (specification volume 1, sections 9.7.3 to 9.7.7). It splits work requests into
 * packets, keeps a window, retransmits from the first unacknowledged packet, and completes requests in order. Used on the
 * hardware thread only; callers pass the time.
 *
 * <p>Invariants: {@code una <= next <= tail}; all requests before {@code una} are completed; PSNs from {@code psnUna} to {@code psnMax}
 * are assigned and not yet acknowledged.
 */
final class RcRequester extends Requester {
  /** The RNR retry count for unlimited retries. */
  private static final int RNR_FOR_EVER = 7;

  private final Qp qp;
  private final HcaView hca;
  private final SendQueue sq;

  /** The oldest request that is not completed. */
  private long una;
  /** The request that is being transmitted or is transmitted next. */
  private long next;
  /** The number of packets of {@code next} that have been sent. */
  private int sentPackets;
  private int psnUna;
  private int psnMax;
  private int rdAtomicOutstanding;
  private int retriesLeft;
  private int rnrRetriesLeft;
  private final RetryHistory history = new RetryHistory();
  private final StallHistory stalls = new StallHistory();
  private boolean rnrWait;
  /** Whether transmission has gone back because of a loss. Until the next acknowledgement, later responses belong to the first transmission. */
  private boolean lossHandled;
  private final SendCredit credit = new SendCredit();
  private final RcRequestPackets packets;
  private final SendCheck check;
  private final RcPayloads payloads;
  private final RcResponses responses;
  /** After going back, packets before this PSN are retransmissions. */
  private int psnRetransmitEnd;

  RcRequester(Qp qp, HcaView hca, SendQueue sq) {
    this.qp = qp;
    this.hca = hca;
    this.sq = sq;
    packets = new RcRequestPackets(qp, hca);
    check = new SendCheck(qp, hca);
    payloads = new RcPayloads(qp, hca);
    responses = new RcResponses(qp, hca, this);
  }

  @Override
  public void reset() {
    una = sq.tail();
    next = una;
    sq.forget(una);
    sentPackets = 0;
    rdAtomicOutstanding = 0;
    rnrWait = false;
    lossHandled = false;
    responses.takeRefused();
    credit.reset();
    deadlineNs = NEVER;
  }

  @Override
  void start(int sqPsn) {
    psnUna = sqPsn;
    psnMax = sqPsn;
    psnRetransmitEnd = sqPsn;
    retriesLeft = qp.retryCnt;
    rnrRetriesLeft = qp.rnrRetry;
    lossHandled = false;
    history.clear();
    stalls.clear();
  }

  @Override
  int psnMax() {
    return psnMax;
  }

  @Override
  int psnUna() {
    return psnUna;
  }

  @Override
  int retriesLeft() {
    return retriesLeft;
  }

  @Override
  int retriesMost() {
    return history.retriesMost();
  }

  @Override
  long silenceMaxNs() {
    return history.silenceMaxNs();
  }

  @Override
  Stall stall(long nowNs) {
    if (sq.size() > 0) {
      return qp.state == QpState.RTS ? stalls.stall(nowNs, history) : Stall.NONE;
    }
    return sq.taken() >= sq.depth ? stalls.notPolled(nowNs) : Stall.NONE;
  }

  /** Restores the retry count, because the peer has responded. */
  private void renewRetries(long nowNs) {
    if (retriesLeft != qp.retryCnt) {
      retriesLeft = qp.retryCnt;
      history.onAnswer(nowNs);
    }
  }

  @Override
  boolean isRnrWaiting() {
    return rnrWait;
  }

  /** Whether PSNs are assigned and not acknowledged. */
  boolean hasOutstanding() {
    return psnUna != psnMax;
  }

  @Override
  public boolean allSent() {
    return next == sq.tail();
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
    while (!rnrWait && next < sq.tail()) {
      SendWqe wqe = sq.slot(next);
      if (!wqe.started) {
        if (qp.state != QpState.RTS || !mayStart(wqe)) {
          return false;
        }
        if (!start(wqe)) {
          continue;
        }
      }
      if (wqe.localError == null && !(SendCheck.isSourceUsable(wqe) && isSourcePresent(wqe))) {
        wqe.localError = WcStatus.LOC_PROT_ERR;
      }
      if (wqe.localError != null) {
        failPendingLocalError();
        return false;
      }
      int psn = Psn.add(wqe.firstPsn, sentPackets);
      if (Psn.diff(psn, psnUna) >= hca.settings.windowPackets()) {
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
      sendPacket(wqe, psn);
      if (deadlineNs == NEVER) {
        armTimer(nowNs);
      }
      return true;
    }
    return false;
  }

  /** Whether the bytes of the next packet have pages; checked only for a retransmission. */
  private boolean isSourcePresent(SendWqe wqe) {
    return Psn.diff(Psn.add(wqe.firstPsn, sentPackets), psnRetransmitEnd) >= 0 || payloads.isPresent(wqe, sentPackets);
  }

  /** Locks the pages of the next packet; returns false if it cannot be sent now. */
  private boolean gather(SendWqe wqe) {
    NicPages.Outcome outcome = payloads.gather(wqe, sentPackets);
    if (outcome == NicPages.Outcome.DENIED) {
      wqe.localError = WcStatus.LOC_PROT_ERR;
      failPendingLocalError();
    }
    return outcome == NicPages.Outcome.DONE;
  }

  private boolean mayStart(SendWqe wqe) {
    if (wqe.opcode.isLocal()) {
      return una == next; // It waits for all earlier requests, so it is always fenced.
    }
    if (wqe.has(SendFlags.FENCE) && rdAtomicOutstanding > 0) {
      return false;
    }
    if (wqe.opcode.hasResponse() && rdAtomicOutstanding > 0 && rdAtomicOutstanding >= qp.maxRdAtomic) {
      return false;
    }
    int count = Math.min(check.packetCount(wqe.length), Psn.PER_MESSAGE_MAX);
    return Psn.diff(psnMax, psnUna) + count < Psn.WINDOW_MAX;
  }

  /** Validates a request and assigns its PSNs, or records its local error. Returns false if the request is already completed. */
  private boolean start(SendWqe wqe) {
    wqe.started = true;
    wqe.localError = wqe.opcode.isLocal() ? hca.windows.execute(qp, wqe.opcode, wqe.bind, wqe.invalidateRkey) : check.validate(wqe);
    if (wqe.localError != null) {
      return true;
    }
    if (wqe.opcode.isLocal()) {
      wqe.packets = 0;
      next++;
      complete(wqe);
      return false;
    }
    wqe.firstPsn = psnMax;
    wqe.packets = wqe.opcode.isAtomic() ? 1 : check.packetCount(wqe.length);
    wqe.countInline(hca.access.copies());
    psnMax = Psn.add(psnMax, wqe.packets);
    if (wqe.opcode.hasResponse()) {
      rdAtomicOutstanding++;
      if (wqe.unpinned) {
        hca.unpinned.prefetch(wqe.sgList, wqe.regions);
      }
    }
    return true;
  }

  private void sendPacket(SendWqe wqe, int psn) {
    if (Psn.diff(psn, psnRetransmitEnd) < 0) {
      hca.counters.packetsRetransmitted++;
    }
    switch (wqe.opcode) {
      case RDMA_READ -> sendRead(wqe, psn);
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> sendOnly(packets.atomic(wqe, psn));
      case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM -> sendMessagePacket(wqe, psn);
      case FLUSH -> sendOnly(packets.flush(wqe, psn));
      case ATOMIC_WRITE -> sendOnly(packets.atomicWrite(wqe, psn, payloads.take(wqe, 0, (int) wqe.length)));
      case LOCAL_INV, BIND_MW -> throw new IllegalStateException(wqe.opcode + " has no packet");
    }
  }

  private void sendRead(SendWqe wqe, int psn) {
    int offset = sentPackets * qp.pathMtu;
    advance();
    hca.send(packets.read(wqe, psn, offset));
  }

  private void sendMessagePacket(SendWqe wqe, int psn) {
    int index = sentPackets;
    boolean first = index == 0;
    boolean last = index == wqe.packets - 1;
    int offset = index * qp.pathMtu;
    int count = (int) Math.min(qp.pathMtu, wqe.length - offset);
    if (last) {
      advance();
    } else {
      sentPackets++;
    }
    boolean ackReq = last || (psn + 1) % hca.settings.ackIntervalPackets() == 0
        || Psn.diff(psn, psnUna) == hca.settings.windowPackets() - 1 || credit.asksAt(psn);
    hca.send(packets.message(wqe, psn, first, last, ackReq, payloads.take(wqe, offset, count)));
  }

  /** Sends the only packet of a request. */
  private void sendOnly(Packet packet) {
    advance();
    hca.send(packet);
  }

  private void advance() {
    next++;
    sentPackets = 0;
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
    if (Psn.diff(psn, sentEnd()) >= 0) {
      hca.counters.packetsDropped++;
      return;
    }
    if (kind == Aeth.ACK && Psn.diff(psn, psnUna) >= -1) {
      onCredit(psn, Aeth.value(syndrome), nowNs);
    }
    if (Psn.diff(psn, psnUna) < 0) {
      if (rnrWait && kind == Aeth.ACK && Psn.add(psn, 1) == psnUna) {
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
    if (credit.allows(nextPsn())) {
      stalls.onCredit();
    }
    if (code == Aeth.CREDIT_INVALID) {
      return;
    }
    renewRetries(nowNs); // The peer may wait long for its pages.
    sendRefusedAgain(psn, code);
    if (!allSent()) {
      hca.activate(qp);
    }
  }

  /**
   * Goes back if the peer has rejected packets: credit code 0 means that it has not accepted the packets after {@code psn}. All packets up to {@code
   * psn} must be acknowledged, perhaps by the same packet. So this is called before and after that packet is processed.
   */
  private void sendRefusedAgain(int psn, int code) {
    if (code == 0 && !rnrWait && Psn.diff(psn, psnUna) == -1 && Psn.diff(nextPsn(), psnUna) > 0) {
      goBack(psnUna);
    }
  }

  @Override
  void onRoom() {
    if (responses.takeRefused()) {
      goBack(psnUna);
    }
  }

  /** Whether the request at that counter has PSNs, that is, it was started and has no local error. */
  private boolean isAssigned(long counter) {
    if (counter >= sq.tail()) {
      return false;
    }
    SendWqe wqe = sq.slot(counter);
    return wqe.started && wqe.localError == null;
  }

  /** Completes the requests that {@code psn} acknowledges. Returns false if an earlier response to a read or atomic was lost and is requested again. */
  private boolean acknowledge(int psn, long nowNs) {
    boolean progress = false;
    while (isAssigned(una)) {
      SendWqe wqe = sq.slot(una);
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
      psnUna = Psn.add(wqe.lastPsn(), 1);
      progress = true;
      complete(wqe);
      if (qp.state == QpState.ERR) {
        return false;
      }
    }
    if (isAssigned(una) && Psn.diff(psn, psnUna) >= 0 && !sq.slot(una).opcode.hasResponse()) {
      psnUna = Psn.add(psn, 1);
      progress = true;
    }
    if (progress) {
      progressed(nowNs);
    }
    return true;
  }

  private void progressed(long nowNs) {
    renewRetries(nowNs);
    stalls.onProgress(nowNs);
    rnrRetriesLeft = qp.rnrRetry;
    rnrWait = false;
    lossHandled = false;
    if (Psn.diff(psnUna, psnRetransmitEnd) > 0) {
      psnRetransmitEnd = psnUna;
    }
    skipAcknowledged();
    if (hasOutstanding()) {
      armTimer(nowNs);
    } else {
      deadlineNs = NEVER;
    }
    failPendingLocalError();
    if (qp.state != QpState.ERR && !allSent()) {
      hca.activate(qp);
    }
    if (isDrained()) {
      hca.states.drained(qp);
    }
  }

  @Override
  boolean isDrained() {
    return qp.state == QpState.SQD && !hasOutstanding();
  }

  /** Skips packets that need no retransmission, because an acknowledgement that arrived after going back covers them. */
  private void skipAcknowledged() {
    if (next < una) {
      next = una;
      sentPackets = 0;
      hca.activate(qp); // If nothing is left to send, its turn resets the doorbell, so that the next post rings.
    }
    if (next == una && isAssigned(next)) {
      sentPackets = Math.max(sentPackets, Psn.diff(psnUna, sq.slot(next).firstPsn));
    }
  }

  private void failPendingLocalError() {
    if (una == next && una < sq.tail() && qp.state != QpState.ERR) {
      SendWqe wqe = sq.slot(una);
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
    if (!acknowledgeBefore(psn, nowNs) || qp.state == QpState.ERR || !isAssigned(una)) {
      return;
    }
    if (rnrRetriesLeft == 0) {
      failHead(WcStatus.RNR_RETRY_EXC_ERR);
      return;
    }
    if (rnrRetriesLeft < RNR_FOR_EVER) {
      rnrRetriesLeft--;
    }
    renewRetries(nowNs); // Losses during a long wait for a receive must not accumulate.
    goBack(psn);
    rnrWait = true;
    deadlineNs = nowNs + stalls.onRnrNak(nowNs, TransportTimer.rnrNs(timerCode), rnrRetriesLeft == RNR_FOR_EVER);
    hca.timerChanged(qp);
  }

  private void onNak(int psn, int syndrome, long nowNs) {
    if (!acknowledgeBefore(psn, nowNs) || qp.state == QpState.ERR || !isAssigned(una)) {
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
    return psn == psnUna || acknowledge(Psn.add(psn, -1), nowNs);
  }

  /** Returns the request of a response if it is the next expected response. Otherwise drops it or goes back, and returns null. */
  SendWqe expectResponse(int psn, long nowNs) {
    if (Psn.diff(psn, psnUna) < 0 || Psn.diff(psn, sentEnd()) >= 0) {
      hca.counters.packetsDropped++;
      return null;
    }
    if (psn != psnUna && (!acknowledge(Psn.add(psn, -1), nowNs) || qp.state == QpState.ERR)) {
      return null;
    }
    if (psn != psnUna) {
      responseLost(nowNs);
      return null;
    }
    if (!isAssigned(una)) {
      hca.counters.packetsDropped++;
      return null;
    }
    return sq.slot(una);
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

  /** Returns the first PSN that has not been sent. */
  private int sentEnd() {
    int psn = nextPsn();
    return Psn.diff(psn, psnRetransmitEnd) < 0 ? psnRetransmitEnd : psn;
  }

  /** Reports that the next expected response was accepted. */
  void responseDone(SendWqe wqe, boolean last, long nowNs) {
    psnUna = Psn.add(psnUna, 1);
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
    if (retriesLeft == 0) {
      failHead(WcStatus.RETRY_EXC_ERR);
      return;
    }
    retriesLeft--;
    history.onRetry(qp.retryCnt - retriesLeft);
    lossHandled = true;
    goBack(psnUna);
    armTimer(nowNs);
  }

  private void goBack(int psn) {
    if (Psn.diff(nextPsn(), psnRetransmitEnd) > 0) {
      psnRetransmitEnd = nextPsn();
    }
    next = una;
    sentPackets = isAssigned(una) ? Psn.diff(psn, sq.slot(una).firstPsn) : 0;
    hca.activate(qp);
  }

  private int nextPsn() {
    if (isAssigned(next)) {
      return Psn.add(sq.slot(next).firstPsn, sentPackets);
    }
    return psnMax;
  }

  /** Resumes sending, because the peer has receives again or the wait has ended. */
  private void resumeAfterRnr(long nowNs) {
    rnrWait = false;
    armTimer(nowNs);
    hca.activate(qp);
  }

  @Override
  void onDeadline(long nowNs) {
    long waitedSinceNs = deadlineNs - TransportTimer.ackTimeoutNs(qp.timeout);
    deadlineNs = NEVER;
    if (rnrWait) {
      hca.counters.rnrTimeouts++;
      resumeAfterRnr(nowNs);
    } else if (!credit.allows(psnUna)) {
      hca.counters.timeouts++;
      credit.probe(psnUna);
      hca.activate(qp);
      armTimer(nowNs);
    } else if (qp.unpinned.awaitsPage() && nextPsn() == psnUna) {
      armTimer(nowNs); // All sent packets are acknowledged; this host is waiting for its own page.
    } else if (hasOutstanding() || (qp.state == QpState.RTS && !allSent())) {
      hca.counters.timeouts++;
      history.onTimeout(waitedSinceNs, nowNs);
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
    hca.timerChanged(qp);
  }

  private void complete(SendWqe wqe) {
    if (wqe.opcode.hasResponse()) {
      rdAtomicOutstanding--;
    }
    boolean signaled = wqe.has(SendFlags.SIGNALED) || qp.sqSigAll;
    release(wqe, signaled ? WcStatus.SUCCESS : null, wqe.opcode.isReadOrAtomic() ? (int) wqe.length : 0);
  }

  /**
   * Ends the oldest request; writes a completion unless {@code status} is null. Polling that completion, or the next one, frees the request's slot.
   */
  private void release(SendWqe wqe, WcStatus status, int byteLen) {
    long wrId = wqe.wrId;
    WrOpcode opcode = wqe.opcode;
    una++;
    sq.complete(una);
    qp.counters.sendCompleted(opcode, status == null || status == WcStatus.SUCCESS);
    if (status != null) {
      hca.completions.completeSend(qp, una, wrId, opcode.completion(), status, byteLen);
    }
  }

  /** Fails the oldest request and the queue pair. */
  void failHead(WcStatus status) {
    qp.fail(status.name());
    qp.lease.revoke(); // Revoke before the program polls the completion and may change the bytes. toError revokes again before it flushes.
    release(sq.slot(una), status, 0);
    hca.states.toError(qp, null);
  }

  @Override
  void flush() {
    deadlineNs = NEVER;
    rnrWait = false;
    lossHandled = false;
    responses.takeRefused();
    while (una < sq.tail()) {
      release(sq.slot(una), WcStatus.WR_FLUSH_ERR, 0);
    }
    next = una;
    sentPackets = 0;
    rdAtomicOutstanding = 0;
    psnUna = psnMax;
  }
}
