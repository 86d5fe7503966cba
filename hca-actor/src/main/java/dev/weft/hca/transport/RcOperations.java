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
 * Executes the peer's reads, atomics, FLUSH and ATOMIC_WRITE requests of a reliable connection, and answers them, including duplicates, in the order of
 * their arrival. It executes each request once; only reads are executed again for a duplicate (specification volume 1, sections 9.7.4 and 9.7.5, annex
 * A19). Hardware thread.
 */
final class RcOperations {
  private final QpContext qp;
  private final TransportDevice hca;
  private final RcMessages messages;
  private final RcResponder responder;
  private final RcPlacement placement;
  private final RcAnswers answers = new RcAnswers();
  private final RcSavedAtomics saved = new RcSavedAtomics();
  /** Whether the peer has repeated its request while the answer waits for a page, so that it needs an acknowledgement of the earlier requests. */
  private boolean patienceOwed;
  /** Whether the oldest job, and therefore all later jobs, wait for a page. */
  private boolean headWaits;
  /** The bytes of the oldest job's next packet; their pages are locked. */
  private Payload gathered;

  RcOperations(QpContext qp, TransportDevice hca, RcMessages messages, RcResponder responder) {
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

  /** Drops all unanswered jobs. */
  void clear() {
    answers.clear();
  }

  void start(int maxDestRdAtomic) {
    answers.start(maxDestRdAtomic);
    saved.start(maxDestRdAtomic);
  }

  /** Changes the number of requests that the peer may have outstanding; keeps queued jobs and saved results. */
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

  /** Prepares the oldest answer; returns whether it waits for a page. */
  boolean look() {
    headWaits = !answers.isEmpty() && !prepare(answers.head());
    return headWaits;
  }

  /** Sends a packet of the oldest answer, after {@link #look}. */
  void transmitOne() {
    sendJobPacket(answers.head());
  }

  /** Whether a read request may be served; otherwise the queue pair fails. */
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
    qp.activate();
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

  /** Executes an atomic and saves its result; returns false if the memory is no longer accessible. */
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

  /** Executes a FLUSH or ATOMIC_WRITE; its answer is like that of a read of 0 bytes. */
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

  /** Handles a repeated request: if an answer waits for a page, acknowledges the earlier requests so that the peer keeps waiting. */
  void owePatience() {
    if (headWaits) {
      patienceOwed = true;
      qp.activate();
    }
  }

  /**
   * Executes a repeated read again, unless its answer is already queued or there is no room; then the requester repeats it later. If its answer is
   * being sent, the answer starts again, because the peer would not use the rest of the old one.
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
   * Rejects a repeated read whose key is no longer valid. The key was valid at the first request. If the peer still waits for the answer, the NAK
   * reports the error. But the duplicate may be an old packet whose answer arrived long ago, and then invalidating the key was correct. So the queue
   * pair continues.
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

  /** Prepares the next packet of a job. Returns whether it can be sent now: its page is present, or it is a rejection. */
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
          qp.activate(); // The host has evicted the page since; the next look requests it.
        }
        return gathered != null;
      }
    }
    return true;
  }

  /** Executes a deferred atomic if its page is present; returns false if it still waits. */
  private boolean isExecuted(RcAnswers.Job job) {
    Packet packet = job.deferred;
    Mr mr = remoteRegion(packet.rkey(), packet.va(), 8, Access.REMOTE_ATOMIC);
    if (mr != null && mr.isUnpinned() && hca.unpinned.hold(qp.unpinned, mr, packet.va()) == NicPages.Outcome.ABSENT) {
      return false;
    }
    job.deferred = null;
    if (mr == null || !execute(mr, packet)) {
      job.atomic = false; // sendJobPacket rejects it.
      job.mr = null;
      job.length = RcAnswers.REFUSED;
      return true;
    }
    job.result = saved.latest();
    return true;
  }

  /** Acknowledges everything before an answer that waits for a page, if the peer has repeated its request. */
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
   * Rejects the oldest job because its key is no longer valid. For a first request, or an answer that was not sent completely, that is an error of the
   * peer. For a duplicate, the peer may have received the first answer and then allowed this side to invalidate the key. As in {@link
   * #refuseRepeatedRead}, the NAK then reports the error to a peer that still waits, and the queue pair continues.
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
      qp.toError(AsyncEvent.Type.QP_ACCESS_ERR);
    }
  }

  /** Answers a repeated FLUSH or ATOMIC_WRITE without executing it again, because the written word may have changed since. */
  void repeatPlacement(Packet packet) {
    owePatience();
    if (answers.mayQueueRepeat(packet.psn())) {
      addPlacementJob(packet.psn(), true);
    }
  }

  /** Whether the queue pair grants the operation. If not, the request is invalid, whatever the rights of the region. */
  private boolean grants(int right) {
    return (qp.accessFlags & right) != 0;
  }

  private Mr remoteRegion(int rkey, long va, long length, int right) {
    return hca.memory.findRemote(rkey, qp, va, length, right);
  }
}
