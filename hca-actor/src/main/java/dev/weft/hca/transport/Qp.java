package dev.weft.hca.transport;

import dev.weft.fabric.Check;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.BadRequestException;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.Stall;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * A queue pair as the consumer and the device use it: its context and its two halves. Posting copies the request into a preallocated ring and rings the
 * HCA's doorbell, unless the HCA is already processing this queue pair.
 */
public final class Qp extends QpContext {
  private static final VarHandle DOORBELL;

  static {
    try {
      DOORBELL = MethodHandles.lookup().findVarHandle(Qp.class, "doorbell", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Hca owner;
  private final QueueDevice hca;
  private final PostCheck check;
  private final Srq srq;
  private final Object sendLock = new Object();
  private final Object receiveLock = new Object();
  private final QueueMessage.Doorbell doorbellMessage = new QueueMessage.Doorbell(this);
  private final QueueMessage.ReceivePosted receivePostedMessage = new QueueMessage.ReceivePosted(this);
  final Requester requester;
  final Responder responder;
  private volatile int doorbell;
  /** The number of multicast groups to which it is attached. */
  private int multicastCount;

  /** The parent domain in which it was created, or null; below, the memory that the domain has given for inline data, or null. */
  private ParentPd parent;
  private final MemorySegment given;
  private final Turn turn = new Turn();
  /** Whether {@link QpTimers} has a deadline of this queue pair. */
  boolean timed;

  public Qp(Hca owner, QueueDevice hca, Pd pd, int qpNum, QpInitAttr init, MemorySegment given) {
    super(pd, qpNum, init, given);
    this.given = given;
    this.owner = owner;
    this.hca = hca;
    check = new PostCheck(pd, qpNum, init);
    srq = (Srq) init.srq();
    ReceiveSource receives = srq == null ? receiveQueue : srq.tap(this);
    switch (init.type()) {
      case RC -> {
        requester = new RcRequester(this, hca, sendQueue);
        responder = new RcResponder(this, hca, receives);
      }
      case UC -> {
        requester = new UcRequester(this, hca, sendQueue);
        responder = new UcResponder(this, hca, receives);
      }
      case UD -> {
        requester = new UdRequester(this, hca, sendQueue);
        responder = new UdResponder(this, hca, receives);
      }
      default -> throw new IllegalStateException("no transport for " + init.type());
    }
  }

  @Override
  public Hca hca() {
    return owner;
  }

  public Requester requester() {
    return requester;
  }

  public Responder responder() {
    return responder;
  }

  /** The state that the link scheduler keeps for it. */
  public Turn turn() {
    return turn;
  }

  /** The parent domain in which it was created, or null. */
  public ParentPd parent() {
    return parent;
  }

  public void setParent(ParentPd domain) {
    parent = domain;
  }

  public int multicastCount() {
    return multicastCount;
  }

  /** Counts an attachment to a multicast group (1) or a detachment (-1). */
  public void useGroups(int delta) {
    multicastCount += delta;
  }

  /** The shared receive queue; null if the queue pair has its own receive queue. */
  public Srq srq() {
    return srq;
  }

  @Override
  public int sendQueueSize() {
    return sendQueue.size();
  }

  @Override
  public int sendSlotsTaken() {
    return sendQueue.taken();
  }

  @Override
  public int receiveSlotsTaken() {
    return receiveQueue.taken();
  }

  @Override
  public int receiveQueueSize() {
    return receiveQueue.size();
  }

  @Override
  public void postSend(WorkRequest request) {
    Check.given("request", request);
    synchronized (sendLock) {
      checkSend(request);
      sendQueue.slot(sendQueue.tail()).load(request);
      sendQueue.publish();
    }
    ring();
  }

  @Override
  public void postSend(List<WorkRequest> requests) {
    Check.allGiven("requests", requests);
    int done = 0;
    try {
      synchronized (sendLock) {
        for (; done < requests.size(); done++) {
          WorkRequest request = requests.get(done);
          checkSend(request);
          sendQueue.slot(sendQueue.tail()).load(request);
          sendQueue.publish();
        }
      }
    } catch (VerbsException refused) {
      throw new BadRequestException(refused, done, requests.size(), requests.get(done), requests.get(done).wrId());
    } finally {
      if (done > 0) {
        ring();
      }
    }
  }

  private void ring() {
    if (doorbell == 0 && DOORBELL.compareAndSet(this, 0, 1)) {
      hca.calls.ring(doorbellMessage);
    }
    flushIfClosed();
  }

  /** Flushes if the HCA is closed, because the closing thread may have missed this post. */
  private void flushIfClosed() {
    if (hca.calls.isClosed()) {
      hca.flushAfterEnd(this);
    }
  }

  private void checkOpen() {
    if (hca.calls.isClosed()) {
      throw hca.calls.refusal();
    }
  }

  /** Ends the processing after the HCA has sent everything. Returns true if more was posted in the meantime and the HCA must continue. */
  public boolean sleepUnlessPosted() {
    doorbell = 0;
    return !requester.allSent() && DOORBELL.compareAndSet(this, 0, 1);
  }

  private void checkState() {
    checkOpen();
    QpState now = state;
    if (destroyed || now == QpState.RESET || now == QpState.INIT || now == QpState.RTR) {
      throw new VerbsException(Errno.EINVAL, "queue pair " + qpNum + " is " + (destroyed ? "destroyed" : "in " + now)
          + "; sends may be posted in RTS, SQD, SQE and ERR");
    }
    if (sendQueue.isFull()) {
      throw new VerbsException(Errno.ENOMEM, "the send queue of queue pair " + qpNum + " holds " + sendQueue.depth
          + " requests and is full; polling the completion of a request frees its slot and those of earlier requests: poll "
          + "completions, request them more often (signaled), or create the queue with a larger maxSendWr");
    }
  }

  private void checkSend(WorkRequest wr) {
    checkState();
    check.request(wr);
  }

  /** Returns the given memory of a destroyed queue pair. Holds the lock, because a post that began before may still be copying. */
  public void freeGivenMemory() {
    if (given != null) {
      givenLoan.end();
      givenLoan.awaitReaders();
      synchronized (sendLock) {
        parent.free(given);
      }
    }
  }

  /** Posts the binding of a type 1 window for {@link Hca#bindMw}; otherwise like {@link #postSend}. */
  public void postBind(WorkRequest request) {
    synchronized (sendLock) {
      checkState();
      check.transport(request);
      sendQueue.slot(sendQueue.tail()).load(request);
      sendQueue.publish();
    }
    ring();
  }

  @Override
  public void postReceive(ReceiveRequest request) {
    Check.given("request", request);
    synchronized (receiveLock) {
      take(request);
    }
    tellOfReceives();
  }

  @Override
  public void postReceive(List<ReceiveRequest> requests) {
    Check.allGiven("requests", requests);
    int done = 0;
    try {
      synchronized (receiveLock) {
        for (; done < requests.size(); done++) {
          take(requests.get(done));
        }
      }
    } catch (VerbsException refused) {
      throw new BadRequestException(refused, done, requests.size(), requests.get(done), requests.get(done).wrId());
    } finally {
      if (done > 0) {
        tellOfReceives();
      }
    }
  }

  private void tellOfReceives() {
    if (rnrOwed || state == QpState.ERR) {
      hca.calls.tell(receivePostedMessage);
    }
    flushIfClosed();
  }

  /** Posts a receive. The caller must hold the lock. */
  private void take(ReceiveRequest request) {
    checkOpen();
    if (destroyed || state == QpState.RESET) {
      throw new VerbsException(Errno.EINVAL, "queue pair " + qpNum + " is " + (destroyed ? "destroyed" : "in RESET")
          + "; receives may be posted from INIT on");
    }
    if (srq != null) {
      throw new VerbsException(Errno.EINVAL, "queue pair " + qpNum + " takes its receives from " + srq + "; post them there");
    }
    if (request.sgList().count() > init.maxRecvSge()) {
      throw new VerbsException(Errno.EINVAL, "the request has " + request.sgList().count() + " scatter/gather elements, queue pair "
          + qpNum + " was created for at most " + init.maxRecvSge());
    }
    if (init.maxRecvWr() == 0 || receiveQueue.isTaken()) {
      throw new VerbsException(Errno.ENOMEM, "the receive queue of queue pair " + qpNum + " holds " + init.maxRecvWr()
          + " requests and is full; polling the completion of a receive frees its slot: poll completions, or create the queue with a larger maxRecvWr");
    }
    receiveQueue.post(request);
  }

  @Override
  public void modify(QpAttr attr) {
    Check.given("attr", attr);
    hca.calls.control(() -> {
      hca.states.modify(this, attr);
      return null;
    });
  }

  @Override
  public QpAttr query() {
    return new QpAttr().state(state).accessFlags(accessFlags).destLid(destLid).serviceLevel(serviceLevel).pathMtu(pathMtu)
        .timeout(timeout).retryCnt(retryCnt).rnrRetry(rnrRetry).rqPsn(responder.ePsn()).sqPsn(requester.psnMax())
        .maxRdAtomic(maxRdAtomic).maxDestRdAtomic(maxDestRdAtomic).minRnrTimer(minRnrTimer).destQpNum(destQpNum).qkey(qkey);
  }

  public HcaSnapshot.Qp snapshot(long nowNs) {
    return new HcaSnapshot.Qp(qpNum, state, destLid, destQpNum, sendQueue.size(), init.maxSendWr(), receiveQueue.size(),
        init.maxRecvWr(), requester.psnMax(), requester.psnUna(), responder.ePsn(), requester.retries.left(),
        requester.isRnrWaiting(), type(), srq == null ? 0 : srq.number(), sendQueue.taken(), requester.retries.retriesMost(),
        requester.retries.silenceMaxNs(), retryBudgetNs(), Stall.longer(requester.stall(nowNs), responder.stall(nowNs)), failure());
  }

  /** The time without a response after which a reliable connection ends; 0 if it never ends, or if the service has no responses. */
  private long retryBudgetNs() {
    return type() != QpType.RC || timeout == 0 ? 0 : (retryCnt + 1) * TransportTimer.ackTimeoutNs(timeout);
  }

  @Override
  public String toString() {
    return "QueuePair[" + type() + " " + qpNum + " " + state + " -> " + destLid + "/" + destQpNum + "]";
  }

  // What the halves ask for.

  @Override
  void activate() {
    hca.activate(this);
  }

  @Override
  void activateLater() {
    hca.activateLater(this);
  }

  @Override
  void timerChanged() {
    hca.timerChanged(this);
  }

  @Override
  void toError(AsyncEvent.Type event) {
    hca.states.toError(this, event);
  }

  @Override
  void toErrorAfterAnswers(AsyncEvent.Type event) {
    hca.states.toErrorAfterAnswers(this, event);
  }

  @Override
  void toSendQueueError() {
    hca.states.toSendQueueError(this);
  }

  @Override
  void drained() {
    hca.states.drained(this);
  }

  @Override
  void onReceivePosted() {
    responder.onReceivePosted();
  }

  @Override
  void onRoom() {
    responder.onRoom();
    requester.onRoom();
  }
}
