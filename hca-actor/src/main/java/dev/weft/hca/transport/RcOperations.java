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

/**
 * Reads, atomics, FLUSH and ATOMIC_WRITE of the peer of a reliable connection: executes each once, and answers in the order in which they came,
 * also one that comes again (specification volume 1, sections 9.7.4 and 9.7.5, annex A19). Hardware thread.
 */
final class RcOperations {
  private final Qp qp;
  private final HcaView hca;
  private final RcMessages messages;
  private final RcResponder responder;
  private final RcPlacement placement;
  private final RcAnswers answers = new RcAnswers();
  private final RcSavedAtomics saved = new RcSavedAtomics();
  /** The peer asks again for an answer that waits for a page: it is told that it is not forgotten. */
  private boolean patienceOwed;
  /** The oldest job waits for a page, and everything later with it. */
  private boolean headWaits;
  /** Bytes of its next packet, their pages locked. */
  private Payload gathered;

  RcOperations(Qp qp, HcaView hca, RcMessages messages, RcResponder responder) {
    this.qp = qp;
    this.hca = hca;
    this.messages = messages;
    this.responder = responder;
    placement = new RcPlacement(qp, hca);
  }

  void reset() {
    patienceOwed = false;
    answers.clear();
  }

  /** Forgets what is to be answered. */
  void clear() {
    answers.clear();
  }

  void start(int maxDestRdAtomic) {
    answers.start(maxDestRdAtomic);
    saved.start(maxDestRdAtomic);
  }

  /** Changes how many the peer may have outstanding; what is queued and what is saved stays. */
  void resize(int maxDestRdAtomic) {
    int size = Math.max(maxDestRdAtomic, answers.count());
    if (size != answers.newMax()) {
      answers.resize(size);
      saved.resize(size);
    }
  }

  boolean hasAnswer() {
    return !answers.isEmpty();
  }

  /** Whether the oldest answer waits for a page. */
  boolean isWaiting() {
    return headWaits;
  }

  /** Looks again whether the oldest answer waits for a page. */
  boolean look() {
    headWaits = !answers.isEmpty() && !prepare(answers.head());
    return headWaits;
  }

  /** Sends a packet of the oldest answer, after {@link #look}. */
  void transmitOne() {
    sendJobPacket(answers.head());
  }

  /** Whether a read request may be served; if not, the queue pair has failed. */
  private boolean checkRead(Packet packet) {
    if (Integer.toUnsignedLong(packet.dmaLength()) > hca.settings.messageMaxBytes() || !grants(Access.REMOTE_READ)) {
      responder.fatal(packet.psn(), Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return false;
    }
    boolean allowed = isReadable(packet);
    if (!allowed) {
      responder.fatal(packet.psn(), Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
    }
    return allowed;
  }

  private boolean isReadable(Packet packet) {
    return packet.dmaLength() == 0 || remoteRegion(packet.rkey(), packet.va(), Integer.toUnsignedLong(packet.dmaLength()), Access.REMOTE_READ) != null;
  }

  void onRead(Packet packet) {
    if (messages.isUnderWay() || !answers.mayQueueNew()) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (!checkRead(packet)) {
      return;
    }
    RcAnswers.Job job = addReadJob(packet, false);
    responder.accept(packet, job.packets);
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

  void onAtomic(Packet packet) {
    if (messages.isUnderWay() || !answers.mayQueueNew() || (packet.va() & 7) != 0 || !grants(Access.REMOTE_ATOMIC)) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    Mr mr = remoteRegion(packet.rkey(), packet.va(), 8, Access.REMOTE_ATOMIC);
    if (mr == null) {
      responder.fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
      return;
    }
    if (!hca.access.isWordAligned(mr, packet.va())) {
      responder.fatal(Aeth.NAK_REMOTE_OPERATIONAL_ERROR, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    if (hasDeferred() || (mr.isUnpinned() && hca.unpinned.hold(qp.unpinned, mr, packet.va()) == NicPages.Outcome.ABSENT)) {
      addAtomicJob(packet.psn(), 0, false).deferred = packet;
      responder.accept(packet, 1);
      return;
    }
    if (execute(mr, packet)) {
      addAtomicJob(packet.psn(), saved.latest(), false);
      responder.accept(packet, 1);
    } else {
      responder.fatal(Aeth.NAK_REMOTE_ACCESS_ERROR, AsyncEvent.Type.QP_ACCESS_ERR);
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
  void onPlacement(Packet packet) {
    if (messages.isUnderWay() || !answers.mayQueueNew()) {
      responder.fatal(Aeth.NAK_INVALID_REQUEST, AsyncEvent.Type.QP_REQ_ERR);
      return;
    }
    int result = placement.execute(packet);
    switch (result) {
      case RcPlacement.DONE -> {
        addPlacementJob(packet.psn(), false);
        responder.accept(packet, 1);
      }
      case RcPlacement.LOST -> hca.counters.packetsDropped++;
      case Aeth.NAK_REMOTE_ACCESS_ERROR -> responder.fatal(result, AsyncEvent.Type.QP_ACCESS_ERR);
      default -> responder.fatal(result, AsyncEvent.Type.QP_REQ_ERR);
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

  /** The peer asks again; if an answer waits for a page, it will hear that. */
  void owePatience() {
    if (headWaits) {
      patienceOwed = true;
      hca.activate(qp);
    }
  }

  /**
   * A repeated read is executed again, unless its answer is waiting already or there is no room: the requester asks again. If it is
   * being answered just now, the answer starts anew: the rest of it would be of no use and delay the new one.
   */
  void repeatRead(Packet packet) {
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
    if (!responder.owesAcknowledgement()) {
      responder.nak(packet.psn(), grants(Access.REMOTE_READ) ? Aeth.NAK_REMOTE_ACCESS_ERROR : Aeth.NAK_INVALID_REQUEST);
    }
  }

  void repeatAtomic(Packet packet) {
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

  /** Prepares the next packet of a job. Returns whether it can leave now: its page is there, or it will be a refusal. */
  private boolean prepare(RcAnswers.Job job) {
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
  boolean askPatience() {
    if (!patienceOwed) {
      return false;
    }
    patienceOwed = false;
    hca.counters.acksSent++;
    hca.send(responder.answer(Opcode.RC_ACKNOWLEDGE, Psn.add(answers.head().psn, answers.head().sent - 1), Aeth.ACK | qp.creditCode(), 0,
        Payload.EMPTY));
    return true;
  }

  private void sendJobPacket(RcAnswers.Job job) {
    int syndrome = Aeth.ACK | qp.creditCode();
    if (job.atomic) {
      answers.drop();
      hca.send(responder.answer(Opcode.RC_ATOMIC_ACKNOWLEDGE, job.psn, syndrome, job.result, Payload.EMPTY));
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
    hca.send(responder.answer(RcOpcode.readOpcode(first, last), psn, first || last ? syndrome : 0, 0, qp.lendAnswer(payload)));
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
    responder.countNak(Aeth.NAK_REMOTE_ACCESS_ERROR);
    hca.send(responder.answer(Opcode.RC_ACKNOWLEDGE, psn, Aeth.NAK_REMOTE_ACCESS_ERROR, 0, Payload.EMPTY));
    if (!repeat) {
      hca.states.toError(qp, AsyncEvent.Type.QP_ACCESS_ERR);
    }
  }

  /** It was executed before it was accepted; a word that was written may have changed since. */
  void repeatPlacement(Packet packet) {
    owePatience();
    if (answers.mayQueueRepeat(packet.psn())) {
      addPlacementJob(packet.psn(), true);
    }
  }

  /** Whether the queue pair grants the operation; one that it does not is an invalid request, whatever the region would say. */
  private boolean grants(int right) {
    return (qp.accessFlags & right) != 0;
  }

  private Mr remoteRegion(int rkey, long va, long length, int right) {
    return hca.memory.findRemote(rkey, qp, va, length, right);
  }
}
