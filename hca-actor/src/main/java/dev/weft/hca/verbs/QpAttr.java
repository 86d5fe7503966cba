package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * The attributes of a queue pair, and the mask of those that a {@link QueuePair#modify} sets; as {@code
 * ibv_qp_attr}. Fluent: each setter adds its bit to the mask. Table 91 of the specification says which bits a transition requires and allows.
 */
public final class QpAttr {
  /**
   * The default local ACK timeout exponent: 2.147 s. With {@link #DEFAULT_RETRY_CNT} retries, a connection ends after 17.2 s. A live peer may pause for
   * seconds, because it is a JVM: garbage collection, an attaching debugger, or a busy or swapping laptop can delay it.
   */
  public static final int DEFAULT_TIMEOUT = 19;

  public static final int DEFAULT_RETRY_CNT = 7;

  public static final int STATE = 1;
  public static final int CUR_STATE = 1 << 1;
  public static final int EN_SQD_ASYNC_NOTIFY = 1 << 2;
  public static final int ACCESS_FLAGS = 1 << 3;
  public static final int PKEY_INDEX = 1 << 4;
  public static final int PORT = 1 << 5;
  public static final int QKEY = 1 << 6;
  public static final int AV = 1 << 7;
  public static final int PATH_MTU = 1 << 8;
  public static final int TIMEOUT = 1 << 9;
  public static final int RETRY_CNT = 1 << 10;
  public static final int RNR_RETRY = 1 << 11;
  public static final int RQ_PSN = 1 << 12;
  public static final int MAX_QP_RD_ATOMIC = 1 << 13;
  public static final int MIN_RNR_TIMER = 1 << 15;
  public static final int SQ_PSN = 1 << 16;
  public static final int MAX_DEST_RD_ATOMIC = 1 << 17;
  public static final int DEST_QPN = 1 << 20;

  int mask;
  private QpState state = QpState.RESET;
  private QpState curState = QpState.RESET;
  private boolean enSqdAsyncNotify;
  private int accessFlags;
  private int pkeyIndex;
  private int portNum;
  private int destLid;
  private int serviceLevel;
  private int pathMtu;
  private int timeout;
  private int retryCnt;
  private int rnrRetry;
  private int rqPsn;
  private int sqPsn;
  private int maxRdAtomic;
  private int maxDestRdAtomic;
  private int minRnrTimer;
  private int destQpNum;
  private int qkey;

  public QpAttr state(QpState state) {
    this.state = Check.given("state", state);
    mask |= STATE;
    return this;
  }

  public QpAttr curState(QpState curState) {
    this.curState = Check.given("curState", curState);
    mask |= CUR_STATE;
    return this;
  }

  public QpAttr enSqdAsyncNotify(boolean value) {
    enSqdAsyncNotify = value;
    mask |= EN_SQD_ASYNC_NOTIFY;
    return this;
  }

  /** Rights of the peer through this queue pair: {@link Access} bits. */
  public QpAttr accessFlags(int value) {
    accessFlags = value;
    mask |= ACCESS_FLAGS;
    return this;
  }

  public QpAttr pkeyIndex(int value) {
    pkeyIndex = value;
    mask |= PKEY_INDEX;
    return this;
  }

  /** Physical port; an HCA of the fabric has one, number 1. */
  public QpAttr port(int value) {
    portNum = value;
    mask |= PORT;
    return this;
  }

  /** Address vector: LID of the peer's port, 1 to 0xbfff. */
  public QpAttr destLid(int value) {
    destLid = value;
    mask |= AV;
    return this;
  }

  /** Address vector: service level of the path, 0 to 15; 0 if only {@link #destLid} is given. */
  public QpAttr serviceLevel(int value) {
    serviceLevel = value;
    mask |= AV;
    return this;
  }

  /** Path MTU in bytes: a power of two from 256 to the fabric's maximum. */
  public QpAttr pathMtu(int bytes) {
    pathMtu = bytes;
    mask |= PATH_MTU;
    return this;
  }

  /** Local ACK timeout: 4.096 us times 2 to the power of this, 0 to 31; 0 means no timeout. */
  public QpAttr timeout(int value) {
    timeout = value;
    mask |= TIMEOUT;
    return this;
  }

  /** Transport retries, 0 to 7. */
  public QpAttr retryCnt(int value) {
    retryCnt = value;
    mask |= RETRY_CNT;
    return this;
  }

  /** Receiver-not-ready retries, 0 to 6; 7 means unlimited. */
  public QpAttr rnrRetry(int value) {
    rnrRetry = value;
    mask |= RNR_RETRY;
    return this;
  }

  /** First PSN that this side expects, 24 bits. */
  public QpAttr rqPsn(int value) {
    rqPsn = value;
    mask |= RQ_PSN;
    return this;
  }

  /** First PSN that this side sends, 24 bits. */
  public QpAttr sqPsn(int value) {
    sqPsn = value;
    mask |= SQ_PSN;
    return this;
  }

  /** RDMA Reads and atomics that this side may have outstanding. */
  public QpAttr maxRdAtomic(int value) {
    maxRdAtomic = value;
    mask |= MAX_QP_RD_ATOMIC;
    return this;
  }

  /** RDMA Reads and atomics that the peer may have outstanding at this side. */
  public QpAttr maxDestRdAtomic(int value) {
    maxDestRdAtomic = value;
    mask |= MAX_DEST_RD_ATOMIC;
    return this;
  }

  /** RNR timer code of the time that this side asks its peer to wait, 0 to 31. */
  public QpAttr minRnrTimer(int value) {
    minRnrTimer = value;
    mask |= MIN_RNR_TIMER;
    return this;
  }

  /** Number of the peer's queue pair, 24 bits. */
  public QpAttr destQpNum(int value) {
    destQpNum = value;
    mask |= DEST_QPN;
    return this;
  }

  /** Queue key of a datagram queue pair, 32 bits, which senders must name to reach it. */
  public QpAttr qkey(int value) {
    qkey = value;
    mask |= QKEY;
    return this;
  }

  public int mask() {
    return mask;
  }

  public QpState curState() {
    return curState;
  }

  public boolean enSqdAsyncNotify() {
    return enSqdAsyncNotify;
  }

  public int pkeyIndex() {
    return pkeyIndex;
  }

  public int port() {
    return portNum;
  }

  public QpState state() {
    return state;
  }

  public int accessFlags() {
    return accessFlags;
  }

  public int destLid() {
    return destLid;
  }

  public int serviceLevel() {
    return serviceLevel;
  }

  public int pathMtu() {
    return pathMtu;
  }

  public int timeout() {
    return timeout;
  }

  public int retryCnt() {
    return retryCnt;
  }

  public int rnrRetry() {
    return rnrRetry;
  }

  public int rqPsn() {
    return rqPsn;
  }

  public int sqPsn() {
    return sqPsn;
  }

  public int maxRdAtomic() {
    return maxRdAtomic;
  }

  public int maxDestRdAtomic() {
    return maxDestRdAtomic;
  }

  public int minRnrTimer() {
    return minRnrTimer;
  }

  public int destQpNum() {
    return destQpNum;
  }

  public int qkey() {
    return qkey;
  }

  /** Returns attributes that take a new connected queue pair (RC or UC) to INIT. {@code accessFlags} as in {@link #accessFlags(int)}. */
  public static QpAttr init(int accessFlags) {
    return new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(accessFlags);
  }

  /** Returns attributes that take a new datagram queue pair to INIT. */
  public static QpAttr initUd(int qkey) {
    return new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(qkey);
  }

  /**
   * Returns attributes that take a reliable connected queue pair from INIT to RTR, with 16 incoming reads or atomics and an RNR timer of 0.64 ms. The
   * caller must add the peer's address: {@link #destLid(int)}, {@link #destQpNum(int)}, {@link #rqPsn(int)} (the peer's {@link #sqPsn(int)}), and
   * {@link #pathMtu(int)}.
   */
  public static QpAttr rtr() {
    return new QpAttr().state(QpState.RTR).maxDestRdAtomic(16).minRnrTimer(12);
  }

  /** Returns attributes that take an unreliable connected queue pair from INIT to RTR. The caller must add the same as to {@link #rtr()}. */
  public static QpAttr rtrUc() {
    return new QpAttr().state(QpState.RTR);
  }

  /** Returns attributes that take a datagram queue pair from INIT to RTR. */
  public static QpAttr rtrUd() {
    return new QpAttr().state(QpState.RTR);
  }

  /**
   * Returns attributes that take a reliable connected queue pair from RTR to RTS, with {@link #DEFAULT_TIMEOUT 2.1 s} and 7 retries, unlimited RNR
   * retries, and 16 reads or atomics.
   */
  public static QpAttr rts(int sqPsn) {
    return new QpAttr().state(QpState.RTS).sqPsn(sqPsn).timeout(DEFAULT_TIMEOUT).retryCnt(DEFAULT_RETRY_CNT).rnrRetry(7).maxRdAtomic(16);
  }

  /** Returns attributes that take an unreliable connected or datagram queue pair from RTR to RTS. */
  public static QpAttr rtsUnreliable(int sqPsn) {
    return new QpAttr().state(QpState.RTS).sqPsn(sqPsn);
  }
}
