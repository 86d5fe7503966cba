package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;

/**
 * The responder half of a reliable connected queue pair (specification volume 1, sections 9.7.4, 9.7.5 and 9.7.8): accepts requests in
 * PSN order, places them, and answers: reads and atomics from a bounded queue of jobs, the rest by coalesced acknowledgements.
 * Confined to the hardware thread.
 *
 * <p>Invariants: answers leave in PSN order; a request is executed once, however often it arrives; atomics are answered from a saved
 * result when they arrive again.
 */
final class RcResponder extends Responder {
  private static final int NONE = 0;
  private static final int SEND = 1;
  private static final int WRITE = 2;
  private final Qp qp;
  private final HcaView hca;
  private final ReceiveSource rq;
  private final RcPlacement placement;
  private final SequenceWindow window;

  private int ePsn;
  private int msn;
  private int operation;
  private ReceiveQueue.Wqe receive;
  private long received;
  private Mr writeRegion;
  private long writeAddr;
  private long writeLeft;
  private long writeTotal;

  private boolean ackOwed;
  private int ackPsn;
  private int nakSyndrome = -1;
  private int nakPsn;
  private boolean sequenceNakSent;
  private boolean established;
  /** The peer asks again for an answer that waits for a page: it is told that it is not forgotten. */
  private boolean patienceOwed;
  /** A packet came without credit and was not taken; the next acknowledgement says so, even if there is room again. */
  private boolean refused;

  /** The oldest job waits for a page, and everything later with it. */
  private boolean headWaits;
  /** Bytes of its next packet, their pages locked. */
  private Payload gathered;
  private final RcAnswers answers = new RcAnswers();
  private final RcSavedAtomics saved = new RcSavedAtomics();

  RcResponder(Qp qp, HcaView hca, ReceiveSource rq) {
    this.qp = qp;
    this.hca = hca;
    this.rq = rq;
    placement = new RcPlacement(qp, hca);
    window = new SequenceWindow(hca.settings.sequenceWindowPackets(), hca.access.copies());
  }

  @Override
  void reset() {
    operation = NONE;
    receive = null;
    ackOwed = false;
    nakSyndrome = -1;
    sequenceNakSent = false;
    established = false;
    patienceOwed = false;
    refused = false;
    window.clear();
    answers.clear();
    msn = 0;
    qp.rnrOwed = false;
    rq.discard();
  }

  @Override
  void start(int rqPsn, int maxDestRdAtomic) {
    ePsn = rqPsn;
    answers.start(maxDestRdAtomic);
    saved.start(maxDestRdAtomic);
  }

  /** Changes how many reads and atomics the peer may have outstanding; what is queued and what is saved stays. */
  @Override
  void resize(int maxDestRdAtomic) {
    int size = Math.max(maxDestRdAtomic, answers.count());
    if (size != answers.newMax()) {
      answers.resize(size);
      saved.resize(size);
    }
  }

  @Override
  int ePsn() {
    return ePsn;
  }

  @Override
  public boolean hasAnswer() {
    return !answers.isEmpty() || nakSyndrome >= 0 || ackOwed;
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
      sequenceNakSent = true; // What follows was not taken either, and the peer will know.
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
      onRead(packet);
    } else if (opcode == Opcode.RC_CMP_SWAP || opcode == Opcode.RC_FETCH_ADD) {
      onAtomic(packet);
    } else if (RcPlacement.isPlacement(opcode)) {
      onPlacement(packet);
    } else if (opcode <= Opcode.RC_SEND_ONLY_WITH_IMM || Opcode.hasIeth(opcode)) {
      onSend(packet);
    } else {
      onWrite(packet);
    }
  }

  /** Whether the packet may come here within its message and has the length that its place demands. */
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

  private void onSend(Packet packet) {
    if (!inSequence(packet, SEND)) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
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
    accept(packet, 1);
    if (RcOpcode.isLast(packet.opcode())) {
      operation = NONE;
      completeReceive(packet, WcOpcode.RECV, (int) received);
    }
  }

  /** Takes the oldest posted receive, or answers that the receiver is not ready. */
  private boolean beginReceive(boolean withBuffers) {
    ReceiveQueue.Wqe wqe = rq.take();
    if (wqe == null) {
      qp.rnrOwed = true;
      rq.awaitPost();
      if (rq.isEmpty()) {
        nak(ePsn, Aeth.RNR_NAK | qp.minRnrTimer);
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
    fatal(syndrome, null);
  }

  private void onWrite(Packet packet) {
    if (!inSequence(packet, WRITE)) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (RcOpcode.isFirst(packet.opcode()) && !beginWrite(packet)) {
      return;
    }
    int length = packet.payload().length();
    boolean last = RcOpcode.isLast(packet.opcode());
    if (length > writeLeft || (last && length != writeLeft)) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (!packet.payload().isReadable()) {
      hca.counters.packetsDropped++;
      return;
    }
    boolean names = Opcode.hasImmDt(packet.opcode()) && qp.eventCounters != null;
    if (names && !qp.eventCounters.has(packet.immediate())) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    boolean imm = Opcode.hasImmDt(packet.opcode()) && !names;
    if (imm && receive == null && !beginReceive(false)) {
      return;
    }
    if (length > 0 && !hca.access.place(packet.payload(), writeRegion, writeAddr, !last)) {
      fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
      return;
    }
    writeAddr += length;
    writeLeft -= length;
    operation = last ? NONE : WRITE;
    accept(packet, 1);
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
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return false;
    }
    if (!grants(Access.REMOTE_WRITE)) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return false;
    }
    if (writeTotal == 0) {
      return true;
    }
    writeRegion = remoteRegion(packet.rkey(), packet.va(), writeTotal, Access.REMOTE_WRITE);
    if (writeRegion == null) {
      fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
      return false;
    }
    return true;
  }

  /** Whether the queue pair grants the operation; one that it does not is an invalid request, whatever the region would say. */
  private boolean grants(int right) {
    return (qp.accessFlags & right) != 0;
  }

  private Mr remoteRegion(int rkey, long va, long length, int right) {
    return hca.memory.findRemote(rkey, qp, va, length, right);
  }

  /** Whether a read request may be served; if not, the queue pair has failed. */
  private boolean checkRead(Packet packet) {
    if (Integer.toUnsignedLong(packet.dmaLength()) > hca.settings.messageMaxBytes() || !grants(Access.REMOTE_READ)) {
      fatal(packet.psn(), Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return false;
    }
    boolean allowed = isReadable(packet);
    if (!allowed) {
      fatal(packet.psn(), Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
    }
    return allowed;
  }

  private boolean isReadable(Packet packet) {
    return packet.dmaLength() == 0 || remoteRegion(packet.rkey(), packet.va(), Integer.toUnsignedLong(packet.dmaLength()), Access.REMOTE_READ) != null;
  }

  private void onRead(Packet packet) {
    if (operation != NONE || !answers.mayQueueNew()) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (!checkRead(packet)) {
      return;
    }
    RcAnswers.Job job = addReadJob(packet, false);
    accept(packet, job.packets);
  }

  private RcAnswers.Job addReadJob(Packet packet, boolean repeat) {
    RcAnswers.Job job = addJob(packet.psn(), repeat);
    job.atomic = false;
    job.placement = false;
    job.suspect = repeat;
    fill(job, packet);
    return job;
  }

  private void fill(RcAnswers.Job job, Packet packet) {
    job.psn = packet.psn();
    job.sent = 0;
    job.addr = packet.va();
    job.length = Integer.toUnsignedLong(packet.dmaLength());
    job.packets = job.length == 0 ? 1 : (int) ((job.length + qp.pathMtu - 1) / qp.pathMtu);
    job.mr = job.length == 0 ? null : hca.memory.find(packet.rkey(), qp.pd());
  }

  private RcAnswers.Job addJob(int psn, boolean repeat) {
    RcAnswers.Job job = answers.add(psn, repeat);
    hca.activate(qp);
    return job;
  }

  private void onAtomic(Packet packet) {
    if (operation != NONE || !answers.mayQueueNew() || (packet.va() & 7) != 0 || !grants(Access.REMOTE_ATOMIC)) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    Mr mr = remoteRegion(packet.rkey(), packet.va(), 8, Access.REMOTE_ATOMIC);
    if (mr == null) {
      fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
      return;
    }
    if (!hca.access.isWordAligned(mr, packet.va())) {
      fatal(Aeth.NAK_REMOTE_OPERATIONAL_ERROR, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (hasDeferred() || (mr.isUnpinned() && hca.unpinned.hold(qp.unpinned, mr, packet.va()) == NicPages.Outcome.ABSENT)) {
      addAtomicJob(packet.psn(), 0, false).deferred = packet;
      accept(packet, 1);
      return;
    }
    if (execute(mr, packet)) {
      addAtomicJob(packet.psn(), saved.latest(), false);
      accept(packet, 1);
    } else {
      fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
    }
  }

  private boolean hasDeferred() {
    return !answers.isEmpty() && answers.last().deferred != null;
  }

  /** Executes an atomic and saves its result; false if the memory is gone. */
  private boolean execute(Mr mr, Packet packet) {
    long original;
    try {
      original = packet.opcode() == Opcode.RC_CMP_SWAP
          ? hca.access.compareAndSwap(mr, packet.va(), packet.compare(), packet.swapAdd())
          : hca.access.fetchAndAdd(mr, packet.va(), packet.swapAdd());
    } catch (IllegalStateException closed) {
      hca.access.atomicGaveUp();
      return false;
    } finally {
      if (mr.isUnpinned()) {
        hca.unpinned.drop();
      }
    }
    hca.counters.atomicsExecuted++;
    qp.counters.completed(CompletionCounter.Operation.REMOTE_ATOMIC, true);
    saved.save(packet.psn(), original);
    if (mr.atomicObserver() != null) {
      mr.atomicObserver().executed(qp.qpNum(), packet.va(), packet.opcode() == Opcode.RC_CMP_SWAP, packet.compare(), packet.swapAdd(),
          original);
    }
    return true;
  }

  /** FLUSH and ATOMIC_WRITE are answered like a read of nothing. */
  private void onPlacement(Packet packet) {
    if (operation != NONE || !answers.mayQueueNew()) {
      fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    int result = placement.execute(packet);
    switch (result) {
      case RcPlacement.DONE -> {
        addPlacementJob(packet.psn(), false);
        accept(packet, 1);
      }
      case RcPlacement.LOST -> hca.counters.packetsDropped++;
      case Aeth.NAK_REMOTE_ACCESS_ERROR -> fatal(result, AsyncEvent.Type.QP_ACCESS_ERR);
      default -> fatal(result, AsyncEvent.Type.QP_REQ_ERR);
    }
  }

  private void addPlacementJob(int psn, boolean repeat) {
    RcAnswers.Job job = addJob(psn, repeat);
    job.atomic = false;
    job.placement = true;
    job.length = 0;
    job.mr = null;
  }

  private RcAnswers.Job addAtomicJob(int psn, long original, boolean repeat) {
    RcAnswers.Job job = addJob(psn, repeat);
    job.atomic = true;
    job.result = original;
    return job;
  }

  private void accept(Packet packet, int packets) {
    if (nakSyndrome >= 0 && Aeth.kind(nakSyndrome) == Aeth.RNR_NAK) {
      nakSyndrome = -1; // It could not leave in time, and is not true any more.
    }
    ePsn = Psn.add(ePsn, packets);
    int opcode = packet.opcode();
    if (RcOpcode.isLast(opcode) || !RcOpcode.isMessage(opcode)) {
      msn = (msn + 1) & Psn.MASK;
    }
    if (RcOpcode.isMessage(opcode)) {
      ackPsn = packet.psn();
      if (packet.ackReq()) {
        ackOwed = true;
        hca.activateLater(qp);
      }
    }
  }

  private void onDuplicate(Packet packet) {
    hca.counters.duplicateRequests++;
    int opcode = packet.opcode();
    if (opcode == Opcode.RC_RDMA_READ_REQUEST) {
      repeatRead(packet);
    } else if (opcode == Opcode.RC_CMP_SWAP || opcode == Opcode.RC_FETCH_ADD) {
      repeatAtomic(packet);
    } else if (RcPlacement.isPlacement(opcode)) {
      owePatience();
      // It was executed before it was accepted; a word that was written may have changed since.
      if (answers.mayQueueRepeat(packet.psn())) {
        addPlacementJob(packet.psn(), true);
      }
    } else if (headWaits) {
      owePatience();
    } else if (!ackOwed || Psn.diff(packet.psn(), ackPsn) > 0) {
      ackOwed = true;
      ackPsn = packet.psn();
      hca.activateLater(qp);
    }
  }

  /** The peer asks again; if an answer waits for a page, it will hear that. */
  private void owePatience() {
    if (headWaits) {
      patienceOwed = true;
      hca.activate(qp);
    }
  }

  /**
   * A repeated read is executed again, unless its answer is waiting already or there is no room: the requester asks again. If it is
   * being answered just now, the answer starts anew: the rest of it would be of no use and delay the new one.
   */
  private void repeatRead(Packet packet) {
    if (!grants(Access.REMOTE_READ) || !isReadable(packet)) {
      refuseRepeatedRead(packet);
      return;
    }
    owePatience();
    RcAnswers.Job head = answers.isEmpty() ? null : answers.head();
    int index = head == null ? -1 : Psn.diff(packet.psn(), head.psn);
    if (index >= 0 && index < head.sent) {
      if (checkRead(packet)) {
        hca.counters.readsRepeated++;
        fill(head, packet);
        head.suspect = true;
      }
      return;
    }
    if (answers.mayQueueRepeat(packet.psn()) && checkRead(packet)) {
      hca.counters.readsRepeated++;
      addReadJob(packet, true);
    }
  }

  /**
   * The key was good when the read came first. Who still waits for its answer learns that it is not any more; but the answer may have
   * come long ago and the packet have lingered, and then whoever took the key back did right: the queue pair goes on.
   */
  private void refuseRepeatedRead(Packet packet) {
    if (!ackOwed && nakSyndrome < 0) {
      nak(packet.psn(), grants(Access.REMOTE_READ) ? Aeth.NAK_REMOTE_ACCESS_ERROR : Aeth.NAK_INVALID_REQUEST);
    }
  }

  private void repeatAtomic(Packet packet) {
    owePatience();
    if (!answers.mayQueueRepeat(packet.psn())) {
      return;
    }
    int found = saved.find(packet.psn());
    if (found >= 0) {
      hca.counters.atomicsReplayed++;
      addAtomicJob(packet.psn(), saved.result(found), true);
    }
  }

  /** A negative answer also acknowledges everything before its PSN. */
  private void nak(int psn, int syndrome) {
    nakSyndrome = syndrome;
    nakPsn = psn;
    ackOwed = false;
    hca.activate(qp);
  }

  private void fatal(int syndrome, AsyncEvent.Type event) {
    fatal(ePsn, syndrome, event);
  }

  private void fatal(int psn, int syndrome, AsyncEvent.Type event) {
    nak(psn, syndrome);
    hca.states.toErrorAfterAnswers(qp, event);
  }

  /** A receive was posted after the peer had been told that there was none: say so, it need not wait for its timer. */
  @Override
  public void onReceivePosted() {
    if (qp.rnrOwed && !rq.isEmpty()) {
      qp.rnrOwed = false;
      ackOwed = true;
      ackPsn = Psn.add(ePsn, -1);
      hca.activate(qp);
    }
  }

  @Override
  public boolean transmitOne() {
    headWaits = !answers.isEmpty() && !isReady(answers.head());
    if (headWaits) {
      return askPatience();
    }
    if (!answers.isEmpty()) {
      sendJobPacket(answers.head());
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
      // Nothing is left to answer, so all that was taken may be acknowledged; a peer does not look at the credit of an old one.
      int psn = qp.unpinned.hasCredit() ? Psn.add(ePsn, -1) : ackPsn;
      hca.send(answer(Opcode.RC_ACKNOWLEDGE, psn, Aeth.ACK | credit, 0, Payload.EMPTY));
      return true;
    }
    return false;
  }

  /** Whether the next packet of a job can leave now: its page is there, or it will be a refusal. */
  private boolean isReady(RcAnswers.Job job) {
    if (job.deferred != null) {
      return isExecuted(job);
    }
    int offset = job.sent * qp.pathMtu;
    int count = (int) Math.min(qp.pathMtu, job.length - offset);
    if (job.atomic || job.mr == null || !job.mr.isUnpinned() || !job.mr.isUsable()) {
      return true;
    }
    long address = job.addr + offset;
    switch (hca.unpinned.look(qp.unpinned, job.mr, address, count)) {
      case ABSENT -> {
        return false;
      }
      case DENIED -> gathered = null;
      case DONE -> {
        gathered = hca.unpinned.gather(job.mr, address, count);
        if (gathered == null) {
          hca.activate(qp); // The host was faster; the next look asks for the page.
        }
        return gathered != null;
      }
    }
    return true;
  }

  /** Executes an atomic that waited, when its page is there. */
  private boolean isExecuted(RcAnswers.Job job) {
    Packet packet = job.deferred;
    Mr mr = remoteRegion(packet.rkey(), packet.va(), 8, Access.REMOTE_ATOMIC);
    if (mr != null && mr.isUnpinned() && hca.unpinned.hold(qp.unpinned, mr, packet.va()) == NicPages.Outcome.ABSENT) {
      return false;
    }
    job.deferred = null;
    if (mr == null || !execute(mr, packet)) {
      job.atomic = false; // It is refused where it is sent.
      job.mr = null;
      job.length = RcAnswers.REFUSED;
      return true;
    }
    job.result = saved.latest();
    return true;
  }

  /** Tells a peer that asks again for an answer which waits for a page that everything before it is acknowledged. */
  private boolean askPatience() {
    if (!patienceOwed) {
      return false;
    }
    patienceOwed = false;
    hca.counters.acksSent++;
    hca.send(answer(Opcode.RC_ACKNOWLEDGE, Psn.add(answers.head().psn, answers.head().sent - 1), Aeth.ACK | qp.creditCode(), 0,
        Payload.EMPTY));
    return true;
  }

  private void oweAck(int psn) {
    ackOwed = true;
    ackPsn = psn;
    hca.activate(qp);
  }

  /** Credit has come back: the peer is told, unless an answer before it still waits. */
  @Override
  void onRoom() {
    if (qp.state != QpState.RESET && qp.state != QpState.INIT && qp.state != QpState.ERR && established && !ackOwed) {
      oweAck(Psn.add(ePsn, -1));
    }
  }

  private void countNak(int syndrome) {
    if (Aeth.kind(syndrome) == Aeth.RNR_NAK) {
      hca.counters.rnrNaksSent++;
    } else {
      hca.counters.naksSent++;
    }
  }

  private void sendJobPacket(RcAnswers.Job job) {
    int syndrome = Aeth.ACK | qp.creditCode();
    if (job.atomic) {
      answers.drop();
      hca.send(answer(Opcode.RC_ATOMIC_ACKNOWLEDGE, job.psn, syndrome, job.result, Payload.EMPTY));
      return;
    }
    int psn = Psn.add(job.psn, job.sent);
    boolean unpinned = job.mr != null && job.mr.isUnpinned();
    if (job.length == RcAnswers.REFUSED || (job.mr != null && !job.mr.isUsable()) || (unpinned && gathered == null)) {
      refuseJob(job.repeat, psn);
      return;
    }
    boolean first = job.sent == 0;
    boolean last = job.sent == job.packets - 1;
    int offset = job.sent * qp.pathMtu;
    int count = (int) Math.min(qp.pathMtu, job.length - offset);
    Payload payload = count == 0 ? Payload.EMPTY : unpinned ? gathered
        : Payload.of(job.mr.segment(), job.addr + offset - job.mr.addr(), count, null, null, job.mr.loan());
    gathered = null;
    if (job.suspect && !unpinned && !payload.isPresent()) {
      refuseJob(job.repeat, psn);
      return;
    }
    if (count > 0) {
      hca.access.readBy(job.mr, job.addr + offset, count, !last);
    }
    job.sent++;
    if (last) {
      if (!job.repeat && !job.placement) {
        qp.counters.completed(CompletionCounter.Operation.REMOTE_RDMA_READ, true);
      }
      answers.drop();
    }
    hca.send(answer(RcOpcode.readOpcode(first, last), psn, first || last ? syndrome : 0, 0, qp.lendAnswer(payload)));
  }

  /**
   * The key of the oldest job is not good any more. A peer that asks for the first time, or has not had the whole answer, made an error.
   * One that asks again may have had the answer to the first request meanwhile, and have told that the key can be taken back: as in
   * {@link #refuseRepeatedRead}, who still waits hears of it, and the queue pair goes on.
   */
  private void refuseJob(boolean repeat, int psn) {
    if (repeat) {
      answers.drop();
    } else {
      answers.clear();
    }
    countNak(Aeth.NAK_REMOTE_ACCESS_ERROR);
    hca.send(answer(Opcode.RC_ACKNOWLEDGE, psn, Aeth.NAK_REMOTE_ACCESS_ERROR, 0, Payload.EMPTY));
    if (!repeat) {
      hca.states.toError(qp, AsyncEvent.Type.QP_ACCESS_ERR);
    }
  }

  private Packet answer(int opcode, int psn, int syndrome, long original, Payload payload) {
    boolean aeth = Opcode.hasAeth(opcode);
    return new Packet(opcode, hca.lid(), qp.destLid, qp.serviceLevel, false, false, Packet.DEFAULT_PKEY, qp.destQpNum, psn, 0, 0,
        0, aeth ? syndrome : 0, aeth ? msn : 0, 0, original, 0, payload);
  }

  @Override
  public void flush(boolean keepAnswers) {
    if (!keepAnswers) {
      answers.clear();
      ackOwed = false;
      nakSyndrome = -1;
    }
    operation = NONE;
    receive = null;
    qp.rnrOwed = false;
    window.clear();
    for (ReceiveQueue.Wqe wqe = rq.nextToFlush(); wqe != null; wqe = rq.nextToFlush()) {
      long wrId = wqe.wrId;
      rq.done();
      hca.completions.completeReceive(qp, wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, false, false, 0, true);
    }
  }
}
