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
 * The requester half of a reliable connected queue pair (specification volume 1, sections 9.7.3 to 9.7.7): cuts work requests into
 * packets, keeps a window, retransmits from the first unacknowledged packet, and completes requests in order. Confined to the
 * hardware thread; time is passed in.
 *
 * <p>Invariants: {@code una <= next <= tail}; all requests before {@code una} are completed; PSNs from {@code psnUna} to {@code psnMax}
 * are assigned and not yet acknowledged.
 */
final class RcRequester extends Requester {
  /** The RNR retry count that stands for retries without end. */
  private static final int RNR_FOR_EVER = 7;

  private final Qp qp;
  private final HcaView hca;
  private final SendQueue sq;

  /** Oldest request that is not completed. */
  private long una;
  /** Request being transmitted, or next to be. */
  private long next;
  /** Packets of {@code next} that are sent already. */
  private int sentPackets;
  private int psnUna;
  private int psnMax;
  private int rdAtomicOutstanding;
  private int retriesLeft;
  private int rnrRetriesLeft;
  private final RetryHistory history = new RetryHistory();
  private final StallHistory stalls = new StallHistory();
  private boolean rnrWait;
  /** Went back because of a loss; until something is acknowledged, later responses are those to the requests before it. */
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

  /** The peer answers: it gets all retries back. */
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

  /** Whether requests are on their way and not acknowledged. */
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

  /** Whether the bytes of the next packet have pages, which is asked when it is sent again. */
  private boolean isSourcePresent(SendWqe wqe) {
    return Psn.diff(Psn.add(wqe.firstPsn, sentPackets), psnRetransmitEnd) >= 0 || payloads.isPresent(wqe, sentPackets);
  }

  /** Locks the pages of the next packet; false if it cannot be sent now. */
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
      return una == next; // After everything before it, so it is fenced in any case.
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

  /** Validates a request and assigns its PSNs, or notes its local error; false if it is done already. */
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

  /** The one packet of a request. */
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

  /** A positive acknowledgement of everything up to {@code psn}, or a negative one at {@code psn}. */
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
          rnrRetriesLeft++; // The wait was cut short, perhaps by an ACK that was late; it does not count.
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
    renewRetries(nowNs); // The wait for its pages may be long.
    sendRefusedAgain(psn, code);
    if (!allSent()) {
      hca.activate(qp);
    }
  }

  /**
   * Credit code 0 says that what was sent after {@code psn} was not taken. Everything before that must be acknowledged, perhaps by the very
   * packet that says so, which is therefore looked at before it is processed and after.
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

  /** Whether the request at that counter has PSNs: it was started and did not fail locally. */
  private boolean isAssigned(long counter) {
    if (counter >= sq.tail()) {
      return false;
    }
    SendWqe wqe = sq.slot(counter);
    return wqe.started && wqe.localError == null;
  }

  /** Completes what {@code psn} acknowledges; false if a read or atomic response before it was lost and is asked for again. */
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

  /** After going back, an acknowledgement may cover packets that were about to be sent again. */
  private void skipAcknowledged() {
    if (next < una) {
      next = una;
      sentPackets = 0;
      hca.activate(qp); // If nothing is left to be sent, its turn lets the doorbell go, so that the next post rings.
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
      return; // Nothing was sent since the last one: a duplicate.
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
    renewRetries(nowNs); // Losses during a long wait for a receive must not add up.
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

  /** The request that a response belongs to, if it is the response expected next; otherwise drops it or asks again. */
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

  /** A later answer shows that the response expected next was lost: asks again, once. What was under way already may follow. */
  void responseLost(long nowNs) {
    if (!lossHandled) {
      hca.counters.impliedNaks++;
      retry(nowNs);
    }
  }

  /** A response is not taken now and will be asked for: what comes behind it shows no loss. */
  void expectLoss() {
    lossHandled = true;
  }

  /** First PSN that is not sent yet. */
  private int sentEnd() {
    int psn = nextPsn();
    return Psn.diff(psn, psnRetransmitEnd) < 0 ? psnRetransmitEnd : psn;
  }

  /** The response expected next was taken. */
  void responseDone(SendWqe wqe, boolean last, long nowNs) {
    psnUna = Psn.add(psnUna, 1);
    if (last) {
      complete(wqe);
    }
    if (qp.state != QpState.ERR) {
      progressed(nowNs);
    }
  }

  /** Sends again from the first unacknowledged packet, or gives up. */
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

  /** The peer said that it has receives again, or the wait is over. */
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
      armTimer(nowNs); // Everything sent was acknowledged: it is this host that is slow.
    } else if (hasOutstanding() || (qp.state == QpState.RTS && !allSent())) {
      hca.counters.timeouts++;
      history.onTimeout(waitedSinceNs, nowNs);
      retry(nowNs);
    }
  }

  /** What waits for the link times out like what was sent. */
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
   * The oldest request is over, and completes unless {@code status} is null. Whoever polls that completion, or the next one, gets the slot
   * back.
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

  /** The oldest request has failed, and the queue pair with it. */
  void failHead(WcStatus status) {
    qp.fail(status.name());
    qp.lease.revoke(); // Before whoever polls the completion may change the bytes; toError does so once more, before it flushes.
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
