package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** One end of a connection: posts the planned requests, and checks the completions of its sends. Its {@link Inbox} handles the receives. */
final class SimEnd implements Checker {
  private static final long LIVENESS_FACTOR = 10;

  private final RunJournal run;
  final int id;
  final SimNode node;
  final EndShape shape;
  final int mtu;
  private final int serviceLevel;
  private final Draw draw;
  private final WorkRequest request = new WorkRequest();
  private List<Op> ops = List.of();
  private SimEnd peer;
  private Inbox inbox;
  private QueuePair qp;
  private int posted;
  /** All requests before this one are known to be done. */
  private int done;
  private boolean drained;

  SimEnd(RunJournal run, int id, SimNode node, EndShape shape, int mtu, int serviceLevel, Draw draw) {
    this.run = run;
    this.id = id;
    this.node = node;
    this.shape = shape;
    this.mtu = mtu;
    this.serviceLevel = serviceLevel;
    this.draw = draw;
  }

  void plan(SimEnd other) {
    peer = other;
    ops = new EndPlanner(draw.split(), shape, node, other.node, mtu).plan();
  }

  /** Both ends are planned, so the messages that this one will receive are known. */
  void planReceives() {
    inbox = new Inbox(run, this, peer.ops.stream().filter(Op::consumesReceive).toList(), draw.split());
    node.cqs.get(shape.sendCq()).capacity += shape.sendDepth();
    node.cqs.get(shape.receiveCq()).capacity += inbox.depth();
  }

  void create() {
    qp = node.hca.createQp(node.pd, new QpInitAttr(node.cq(shape.sendCq()), node.cq(shape.receiveCq()), shape.sendDepth(),
        inbox.depth(), shape.sgeMax(), shape.sgeMax(), shape.inlineMax(), shape.signalAll()));
  }

  void connect() {
    qp.modify(QpAttr.init(Access.ALL));
    qp.modify(new QpAttr().state(QpState.RTR).destLid(peer.node.hca.lid()).serviceLevel(serviceLevel).pathMtu(mtu)
        .destQpNum(peer.qp.qpNum()).rqPsn(peer.shape.sqPsn()).maxDestRdAtomic(peer.shape.rdAtomic())
        .minRnrTimer(shape.minRnrTimer()));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(shape.sqPsn()).timeout(shape.timeout()).retryCnt(shape.retryCnt())
        .rnrRetry(shape.rnrRetryTowards(peer.shape)).maxRdAtomic(shape.rdAtomic()));
  }

  QueuePair qp() {
    return qp;
  }

  List<Op> ops() {
    return ops;
  }

  Inbox inbox() {
    return inbox;
  }

  SimEnd peer() {
    return peer;
  }

  /** Total number of completions that this end will see. */
  int completionsDue() {
    return (int) ops.stream().filter(op -> op.signaled).count() + inbox.due();
  }

  /** Posts a burst; returns the pause before the next one in nanoseconds, or -1 if everything is posted. */
  long step() {
    inbox.post();
    pauseOrResume();
    int burst = draw.between(1, shape.burstMax());
    while (burst-- > 0 && posted < ops.size() && hasRoom()) {
      postSend(ops.get(posted++));
    }
    if (posted == ops.size() && inbox.isAllPosted() && qp.state() != QpState.SQD) {
      return -1;
    }
    return draw.between(0, shape.pauseMaxNs());
  }

  /** Occasionally drains the send queue, and resumes it when it has reported that it is drained. Posting continues meanwhile. */
  private void pauseOrResume() {
    if (qp.state() == QpState.RTS && posted < ops.size() && draw.chance(shape.drainShare())) {
      drained = false;
      qp.modify(new QpAttr().state(QpState.SQD).enSqdAsyncNotify(true));
    } else if (qp.state() == QpState.SQD && drained) {
      qp.modify(new QpAttr().state(QpState.RTS));
      run.onDrained();
    }
  }

  /** The HCA reported SQ_DRAINED. */
  void onDrained() {
    if (qp.state() != QpState.SQD || drained) {
      run.violations().add(this + " reported SQ_DRAINED although it was not asked to drain");
    }
    drained = true;
  }

  /** A slot is freed when the completion of its request, or of a later one, is polled, and not before. */
  private boolean hasRoom() {
    int taken = posted - done;
    if (qp.sendSlotsTaken() != taken) {
      run.violations().add(this + " has " + qp.sendSlotsTaken() + " of " + shape.sendDepth() + " slots taken, " + taken
          + " of its requests are without a polled completion");
    }
    if (taken < shape.sendDepth()) {
      return true;
    }
    if (draw.chance(0.1)) {
      expectFull(ops.get(posted));
    }
    return false;
  }

  private void expectFull(Op op) {
    try {
      qp.postSend(build(op));
      run.violations().add(this + " accepted " + op + " although its send queue is full");
    } catch (VerbsException refused) {
      if (refused.errno() != VerbsException.Errno.ENOMEM) {
        run.violations().add(this + " refused " + op + " for a full send queue with " + refused.errno());
      }
    }
  }

  private void postSend(Op op) {
    op.postedNs = run.nowNs();
    if (op.ownsPieces && !op.isRead() && !op.isAtomic() && !op.forward) {
      fill(op);
    }
    qp.postSend(build(op));
    if (op.inline) {
      clear(op);
    }
    run.onPosted(op.index);
  }

  /** Fills the request's own bytes in when it is posted; the data of a forwarded read is already on its way. */
  private void fill(Op op) {
    int at = 0;
    for (Piece piece : op.pieces) {
      MemorySegment.copy(op.bytes, at, node.memory(piece.area()), ValueLayout.JAVA_BYTE, piece.offset(), piece.length());
      at += piece.length();
    }
  }

  private WorkRequest build(Op op) {
    long remote = op.remoteArea == null ? 0 : peer.node.region(op.remoteArea).addr() + op.remoteOffset;
    int rkey = op.remoteArea == null ? 0 : peer.node.region(op.remoteArea).rkey();
    switch (op.kind) {
      case SEND -> request.send();
      case SEND_WITH_IMM -> request.sendWithImm(op.immediate);
      case RDMA_WRITE -> request.write(remote, rkey);
      case RDMA_WRITE_WITH_IMM -> request.writeWithImm(remote, rkey, op.immediate);
      case RDMA_READ -> request.read(remote, rkey);
      case ATOMIC_FETCH_AND_ADD -> request.fetchAndAdd(remote, rkey, op.operand);
      case ATOMIC_CMP_AND_SWP -> {
        chooseSwap(op);
        request.compareAndSwap(remote, rkey, op.expected, op.operand);
      }
      case LOCAL_INV, BIND_MW, SEND_WITH_INV, FLUSH, ATOMIC_WRITE -> throw new IllegalArgumentException("not simulated");
    }
    if (op.inline) {
      request.inline(op.pieces.isEmpty() ? MemorySegment.ofArray(new byte[0]) : node.memory(op.pieces.getFirst()));
    } else {
      for (Piece piece : op.pieces) {
        request.sge(node.region(piece.area()), piece.offset(), piece.length());
      }
    }
    return decorate(op);
  }

  private WorkRequest decorate(Op op) {
    request.wrId(sendId(op.index));
    if (op.signaled) {
      request.signaled();
    }
    if (op.fence) {
      request.fence();
    }
    if (op.solicited) {
      request.solicited();
    }
    return request;
  }

  /** Expects the present value of the word, which is often right, or a value that it never had. */
  private void chooseSwap(Op op) {
    op.operand = ((long) (id + 1) << 32) + op.index;
    op.expected = draw.chance(0.85) ? peer.node.word(op.word) : draw.nextLong();
  }

  private long sendId(int index) {
    return ((long) id << 32) | index;
  }

  void onSendCompletion(WorkCompletion wc) {
    int next = done;
    while (next < ops.size() && !ops.get(next).signaled) {
      next++;
    }
    if (next >= posted) {
      run.violations().add(this + " completed a request that was not posted or had been completed: " + wc);
      return;
    }
    Op op = ops.get(next);
    boolean data = op.isRead() || op.isAtomic();
    if (wc.wrId() != sendId(next) || !wc.isSuccess() || wc.opcode() != op.completion() || wc.qpNum() != qp.qpNum()
        || (data && wc.byteLen() != op.length)) {
      run.violations().add(this + " expected the completion of " + op + ", got " + wc);
      return;
    }
    checkLiveness(op);
    while (done <= next) {
      finish(ops.get(done++));
    }
    run.onCompletionSeen();
  }

  private void checkLiveness(Op op) {
    long from = Math.max(op.postedNs, run.faultsStoppedNs());
    long limitNs = LIVENESS_FACTOR * longestWaitNs();
    if (run.faultsStoppedNs() >= 0 && run.nowNs() - from > limitNs) {
      run.violations().add(this + ": " + op + " took " + (run.nowNs() - from) + " ns after the faults had stopped, the limit is "
          + limitNs);
    }
  }

  /** A lost packet costs a timeout; a missing receive costs the peer's pause, and the delay that the peer asked for. */
  private long longestWaitNs() {
    return shape.timeoutNs() + peer.shape.pauseMaxNs() + peer.shape.rnrTimerNs();
  }

  /** The request is known to be done: its answer has arrived, and its buffers are free. */
  private void finish(Op op) {
    if (op.isAtomic()) {
      long original = node.memory(op.pieces.getFirst()).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
      op.word.record(new AtomicWord.Use(id, op.index, op.expected, op.operand, original, op.postedNs, run.nowNs()));
      run.note(original);
    } else if (op.isRead()) {
      checkRead(op);
    }
    if (op.ownsPieces && !op.inline && !op.forwarded) {
      clear(op);
    }
  }

  private void checkRead(Op op) {
    int at = 0;
    for (Piece piece : op.pieces) {
      MemorySegment expected = MemorySegment.ofArray(op.bytes).asSlice(at, piece.length());
      long wrong = node.memory(piece).mismatch(expected);
      if (wrong >= 0) {
        run.violations().add(this + ": " + op + " brought a wrong byte at " + (at + wrong));
        return;
      }
      at += piece.length();
    }
  }

  private void clear(Op op) {
    for (Piece piece : op.pieces) {
      node.memory(piece).fill(SimNode.GUARD);
    }
  }

  /** Checks that everything was posted, completed and consumed. */
  @Override
  public void checkFinished(Violations violations) {
    if (qp.state() != QpState.RTS) {
      violations.add(this + " is in " + qp.state());
    }
    if (posted < ops.size() || done < ops.size() || qp.sendQueueSize() != 0) {
      violations.add(this + ": of " + ops.size() + " requests " + posted + " were posted and " + done + " are done, its send queue"
          + " holds " + qp.sendQueueSize() + (done < ops.size() ? "; the first that is not done is " + ops.get(done) : ""));
    }
    inbox.checkFinished(violations);
  }

  @Override
  public String toString() {
    return "end " + id + " (node " + node.index + " to " + peer.node.index + ")";
  }
}
