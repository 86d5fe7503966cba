package dev.weft.hca.transport;

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
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import java.lang.foreign.MemorySegment;

/**
 * The context of a queue pair: the attributes, rings and leases that its requester and its responder use, and what they ask of the queue pair. An abstract
 * class with one subclass instead of an interface, so that attributes are fields and calls cost no more. Hardware thread, except for its volatile fields.
 */
abstract class QpContext implements QueuePair {
  /**
   * Packets with fewer bytes are not lent. Between JVMs their bytes are copied; within one JVM the receiver gets the bytes that the memory holds when
   * it places them.
   */
  private static final int LENT_FROM_BYTES = 256;

  final Pd pd;
  final int qpNum;
  final QpInitAttr init;
  final SendQueue sendQueue;
  final ReceiveQueue receiveQueue;
  private final Cq sendCq;
  private final Cq receiveCq;
  private final Pd receivePd;
  /** The lease under which receivers read the bytes of its requests. It is revoked before the memory of failed requests is released. */
  final SharedLease lease = new SharedLease();
  /**
   * The lease for its responses to reads, from the first response on. It is revoked when the consumer ends the connection, but not after a failure, so
   * that sent responses still arrive.
   */
  private SharedLease answerLease;
  final boolean sqSigAll;

  volatile QpState state = QpState.RESET;
  volatile boolean destroyed;
  /** Whether the peer was told that no receive is posted; the next post then notifies it. */
  volatile boolean rnrOwed;

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
  /** The loan of the given memory, which ends before that memory is returned; null without such memory. */
  final MemoryLoan givenLoan;
  final UnpinnedUse unpinned = new UnpinnedUse() {
    @Override
    protected void onRoom() {
      QpContext.this.onRoom();
    }

    @Override
    protected void onPages() {
      if (!destroyed) {
        activate();
      }
    }
  };
  /** The counters that writes with immediate data increment instead of using a receive; or null. */
  EventCounters eventCounters;
  private EventCounters counting;

  /** @param given memory for inline data that the parent domain has given; null for memory of the HCA */
  QpContext(Pd pd, int qpNum, QpInitAttr init, MemorySegment given) {
    this.pd = pd;
    this.qpNum = qpNum;
    this.init = init;
    givenLoan = given == null ? null : new MemoryLoan();
    sendCq = (Cq) init.sendCq();
    receiveCq = (Cq) init.receiveCq();
    receivePd = init.srq() == null ? pd : (Pd) init.srq().pd();
    sqSigAll = init.sqSigAll();
    sendQueue = new SendQueue(init.maxSendWr(), init.maxInlineData(),
        given != null ? given : ParentPd.allocateDefault(SendQueue.inlineBytes(init.maxSendWr(), init.maxInlineData())));
    receiveQueue = new ReceiveQueue(init.srq() == null ? Math.max(1, init.maxRecvWr()) : 1);
  }

  /** Activates the queue pair, because it has packets to send. */
  abstract void activate();

  /** Activates it because it owes an acknowledgement, but only after the packets that have already arrived are processed. */
  abstract void activateLater();

  /** Reports that the requester's deadline has changed. */
  abstract void timerChanged();

  /** Takes it to ERR and flushes it; {@code event} may be null. */
  abstract void toError(AsyncEvent.Type event);

  /** Like {@link #toError}, but the responder still sends the responses that it owes its peer. */
  abstract void toErrorAfterAnswers(AsyncEvent.Type event);

  /** Handles a failed request of UC or UD: the send queue stops, the receive queue continues. */
  abstract void toSendQueueError();

  /** Reports that the send queue is drained, in SQD. */
  abstract void drained();

  /** Called when a receive was posted after the peer had been told that none was posted. */
  abstract void onReceivePosted();

  /** Called when there is room again for packets to absent pages. */
  abstract void onRoom();

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
  public QpInitAttr initAttr() {
    return init;
  }

  public Cq sendCq() {
    return sendCq;
  }

  /** The counters of its completions. */
  public QueueCounters counters() {
    return counters;
  }

  public UnpinnedUse unpinned() {
    return unpinned;
  }

  /** The LID of the peer's port; 0 before it is set. */
  public int destLid() {
    return destLid;
  }

  /** Makes writes with immediate data increment these counters. */
  public void useEventCounters(EventCounters its) {
    eventCounters = its;
  }

  /** Marks the queue pair as destroyed. */
  public void markDestroyed() {
    destroyed = true;
  }

  public Cq receiveCq() {
    return receiveCq;
  }

  /** The protection domain of the regions in its receives. */
  public Pd receivePd() {
    return receivePd;
  }

  QueueSlots sendSlots() {
    return sendQueue.room;
  }

  /** The slots of its own receive queue; null if its receives are shared. */
  QueueSlots receiveSlots() {
    return init.srq() == null ? receiveQueue.room : null;
  }

  /** The number of receives of its own queue that messages have used or that were flushed so far. */
  long receivesTaken() {
    return receiveQueue.head();
  }

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

  String failure() {
    return failure;
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
