package dev.weft.hca.transport;

import dev.weft.fabric.Check;
import dev.weft.fabric.memory.MemoryLoan;
import dev.weft.fabric.memory.SharedLease;
import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.completion.QueueCounters;
import dev.weft.hca.completion.QueueSlots;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.memory.UnpinnedUse;
import dev.weft.hca.verbs.BadRequestException;
import dev.weft.hca.verbs.EventCounters;
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
 * The state of a queue pair, and its two rings. Posting copies the request into a preallocated ring and rings the HCA's doorbell, unless
 * the HCA is already processing this queue pair.
 */
public final class Qp implements QueuePair {
  private static final VarHandle DOORBELL;
  /**
   * Packets with fewer bytes are not lent. Between JVMs their bytes are copied; within one JVM the receiver gets the bytes that the memory holds when
   * it places them.
   */
  private static final int LENT_FROM_BYTES = 256;

  static {
    try {
      DOORBELL = MethodHandles.lookup().findVarHandle(Qp.class, "doorbell", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Hca owner;
  private final HcaView hca;
  private final Pd pd;
  private final PostCheck check;
  private final int qpNum;
  private final QpInitAttr init;
  private final Cq sendCq;
  private final Cq receiveCq;
  private final Srq srq;
  private final SendQueue sendQueue;
  private final ReceiveQueue receiveQueue;
  private final Object sendLock = new Object();
  private final Object receiveLock = new Object();
  private final QueueMessage.Doorbell doorbellMessage = new QueueMessage.Doorbell(this);
  private final QueueMessage.ReceivePosted receivePostedMessage = new QueueMessage.ReceivePosted(this);
  /** The lease under which receivers read the bytes of its requests. It is revoked before the memory of failed requests is released. */
  final SharedLease lease = new SharedLease();
  /**
   * The lease for its responses to reads, from the first response on. It is revoked when the consumer ends the connection, but not after a failure, so
   * that sent responses still arrive.
   */
  private SharedLease answerLease;
  final Requester requester;
  final Responder responder;
  final boolean sqSigAll;

  volatile QpState state = QpState.RESET;
  volatile boolean destroyed;
  /** Whether the peer was told that no receive is posted; the next post then notifies it. */
  volatile boolean rnrOwed;
  private volatile int doorbell;

  int accessFlags;
  int destLid;
  int destQpNum;
  int serviceLevel;
  int pathMtu = 256;
  int timeout;
  int retryCnt;
  int rnrRetry;
  int maxRdAtomic;
  int maxDestRdAtomic;
  int minRnrTimer;
  int rqPsn;
  int sqPsn;
  int qkey;
  boolean drainNotify;
  /** The cause of its failure since the last reset; empty if it has not failed, or if its program or peer ended the connection. */
  private String failure = "";
  final QueueCounters counters = new QueueCounters();
  /** The number of multicast groups to which it is attached. */
  private int multicastCount;

  /** The parent domain in which it was created, or null; below, the memory that the domain has given for inline data, or null. */
  private ParentPd parent;
  private final MemorySegment given;
  /** The loan of the given memory, which ends before that memory is returned; null without such memory. */
  final MemoryLoan givenLoan;
  final UnpinnedUse unpinned = new UnpinnedUse() {
    @Override
    protected void onRoom() {
      responder.onRoom();
      requester.onRoom();
    }

    @Override
    protected void onPages() {
      if (!destroyed) {
        hca.activate(Qp.this);
      }
    }
  };
  /** The counters that writes with immediate data increment instead of using a receive; or null. */
  EventCounters eventCounters;
  private EventCounters counting;
  private final Turn turn = new Turn();
  /** Whether {@link QpTimers} has a deadline of this queue pair. */
  boolean timed;

  /** Lends the bytes of a request's packet until the request has ended. */
  Payload lend(Payload payload) {
    return payload.length() < LENT_FROM_BYTES ? payload : payload.lentBy(lease);
  }

  /** Lends the bytes of a response's packet until the consumer ends the queue pair. */
  Payload lendAnswer(Payload payload) {
    if (payload.length() < LENT_FROM_BYTES) {
      return payload;
    }
    if (answerLease == null) {
      answerLease = new SharedLease();
    }
    return payload.lentBy(answerLease);
  }

  /** Revokes the responses in flight, which then count as lost, because their memory may be reused. */
  void takeAnswersBack() {
    if (answerLease != null) {
      answerLease.revoke();
    }
  }

  /** Closes both leases; call it when the queue pair is destroyed and both are revoked. */
  public void closeLeases() {
    lease.close();
    if (answerLease != null) {
      answerLease.close();
    }
  }

  public Qp(Hca owner, HcaView hca, Pd pd, int qpNum, QpInitAttr init, MemorySegment given) {
    this.given = given;
    givenLoan = given == null ? null : new MemoryLoan();
    this.owner = owner;
    this.hca = hca;
    this.pd = pd;
    this.qpNum = qpNum;
    this.init = init;
    check = new PostCheck(pd, qpNum, init);
    sendCq = (Cq) init.sendCq();
    receiveCq = (Cq) init.receiveCq();
    srq = (Srq) init.srq();
    sqSigAll = init.sqSigAll();
    sendQueue = new SendQueue(init.maxSendWr(), init.maxInlineData(),
        given != null ? given : ParentPd.allocateDefault(SendQueue.inlineBytes(init.maxSendWr(), init.maxInlineData())));
    receiveQueue = new ReceiveQueue(srq == null ? Math.max(1, init.maxRecvWr()) : 1);
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
  public int qpNum() {
    return qpNum;
  }

  @Override
  public QpType type() {
    return init.type();
  }

  @Override
  public QpState state() {
    return state;
  }

  @Override
  public boolean isDestroyed() {
    return destroyed;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  @Override
  public Hca hca() {
    return owner;
  }

  @Override
  public QpInitAttr initAttr() {
    return init;
  }

  public Cq sendCq() {
    return sendCq;
  }

  public Requester requester() {
    return requester;
  }

  public Responder responder() {
    return responder;
  }

  /** The counters of its completions. */
  public QueueCounters counters() {
    return counters;
  }

  public UnpinnedUse unpinned() {
    return unpinned;
  }

  /** The state that the link scheduler keeps for it. */
  public Turn turn() {
    return turn;
  }

  /** The LID of the peer's port; 0 before it is set. */
  public int destLid() {
    return destLid;
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

  /** Makes writes with immediate data increment these counters. */
  public void useEventCounters(EventCounters its) {
    eventCounters = its;
  }

  /** Marks the queue pair as destroyed. */
  public void markDestroyed() {
    destroyed = true;
  }

  /** The shared receive queue; null if the queue pair has its own receive queue. */
  public Srq srq() {
    return srq;
  }

  public Cq receiveCq() {
    return receiveCq;
  }

  /** The protection domain of the regions in its receives. */
  public Pd receivePd() {
    return srq == null ? pd : srq.pd();
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

  QueueSlots sendSlots() {
    return sendQueue.room;
  }

  /** The slots of its own receive queue; null if its receives are shared. */
  QueueSlots receiveSlots() {
    return srq == null ? receiveQueue.room : null;
  }

  /** The number of receives of its own queue that messages have used or that were flushed so far. */
  long receivesTaken() {
    return receiveQueue.head();
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
          + " requests already; a slot comes back when the completion of its request, or of a later one, is polled: poll "
          + "completions, ask for one more often (signaled), or create the queue deeper");
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
          + qpNum + " was created for " + init.maxRecvSge());
    }
    if (init.maxRecvWr() == 0 || receiveQueue.isTaken()) {
      throw new VerbsException(Errno.ENOMEM, "the receive queue of queue pair " + qpNum + " holds " + init.maxRecvWr()
          + " requests already; a slot comes back when the completion of its receive is polled: poll completions, or create it deeper");
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

  /** Applies the attributes that the mask names. Hardware thread. */
  void apply(QpAttr a) {
    accessFlags = pick(a, QpAttr.ACCESS_FLAGS, a.accessFlags(), accessFlags);
    destLid = pick(a, QpAttr.AV, a.destLid(), destLid);
    serviceLevel = pick(a, QpAttr.AV, a.serviceLevel(), serviceLevel);
    pathMtu = pick(a, QpAttr.PATH_MTU, a.pathMtu(), pathMtu);
    timeout = pick(a, QpAttr.TIMEOUT, a.timeout(), timeout);
    retryCnt = pick(a, QpAttr.RETRY_CNT, a.retryCnt(), retryCnt);
    rnrRetry = pick(a, QpAttr.RNR_RETRY, a.rnrRetry(), rnrRetry);
    rqPsn = pick(a, QpAttr.RQ_PSN, a.rqPsn(), rqPsn);
    sqPsn = pick(a, QpAttr.SQ_PSN, a.sqPsn(), sqPsn);
    maxRdAtomic = pick(a, QpAttr.MAX_QP_RD_ATOMIC, a.maxRdAtomic(), maxRdAtomic);
    maxDestRdAtomic = pick(a, QpAttr.MAX_DEST_RD_ATOMIC, a.maxDestRdAtomic(), maxDestRdAtomic);
    minRnrTimer = pick(a, QpAttr.MIN_RNR_TIMER, a.minRnrTimer(), minRnrTimer);
    destQpNum = pick(a, QpAttr.DEST_QPN, a.destQpNum(), destQpNum);
    qkey = pick(a, QpAttr.QKEY, a.qkey(), qkey);
    if ((a.mask() & QpAttr.EN_SQD_ASYNC_NOTIFY) != 0) {
      drainNotify = a.enSqdAsyncNotify();
    }
  }

  private static int pick(QpAttr attr, int bit, int given, int current) {
    return (attr.mask() & bit) != 0 ? given : current;
  }

  /** Records the cause of a failure; keeps the first one. */
  void fail(String reason) {
    if (failure.isEmpty()) {
      failure = reason;
    }
  }

  void forgetFailure() {
    failure = "";
  }

  public HcaSnapshot.Qp snapshot(long nowNs) {
    return new HcaSnapshot.Qp(qpNum, state, destLid, destQpNum, sendQueue.size(), init.maxSendWr(), receiveQueue.size(),
        init.maxRecvWr(), requester.psnMax(), requester.psnUna(), responder.ePsn(), requester.retriesLeft(),
        requester.isRnrWaiting(), type(), srq == null ? 0 : srq.number(), sendQueue.taken(), requester.retriesMost(),
        requester.silenceMaxNs(), retryBudgetNs(), Stall.longer(requester.stall(nowNs), responder.stall(nowNs)), failure);
  }

  /** The time without a response after which a reliable connection ends; 0 if it never ends, or if the service has no responses. */
  private long retryBudgetNs() {
    return type() != QpType.RC || timeout == 0 ? 0 : (retryCnt + 1) * TransportTimer.ackTimeoutNs(timeout);
  }

  @Override
  public String toString() {
    return "QueuePair[" + type() + " " + qpNum + " " + state + " -> " + destLid + "/" + destQpNum + "]";
  }

  /** The credit code for acknowledgements. */
  int creditCode() {
    return unpinned.hasCredit() ? SendCredit.code(unpinned.room()) : Aeth.CREDIT_INVALID;
  }

  /** Increments a counter when all earlier data is in memory. */
  void countEvent(int counter) {
    if (unpinned.hasCredit()) {
      unpinned.afterCopies(() -> eventCounters.increment(counter));
    } else {
      eventCounters.increment(counter);
    }
  }

  /** Starts or stops counting: whether packets of the peer can increment its counters from now on. */
  void count(boolean now) {
    EventCounters before = counting;
    counting = now ? eventCounters : null;
    if (counting != null) {
      counting.attached();
    }
    if (before != null) {
      before.detached("queue pair " + qpNum + ", the last one with these counters, was lost or closed");
    }
  }
}
