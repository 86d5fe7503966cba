package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Draw;
/**
 * The settings and behaviour of one end of a connection.
 *
 * @param sendDepth send queue depth
 * @param receiveDepth receive queue depth
 * @param sgeMax scatter/gather elements per request
 * @param inlineMax bytes that a request may carry inline
 * @param signalAll whether the queue pair completes every request
 * @param signaledShare share of requests that ask for a completion
 * @param rdAtomic outstanding reads and atomics
 * @param timeout local ACK timeout exponent
 * @param retryCnt transport retries
 * @param rnrRetry receiver-not-ready retries, if the peer is patient
 * @param minRnrTimer RNR timer code that this end asks its peer to wait
 * @param sqPsn first PSN
 * @param sendCq number of its node's completion queue for sends
 * @param receiveCq number of its node's completion queue for receives
 * @param burstMax maximum requests posted at a time
 * @param pauseMaxNs longest pause between bursts
 * @param lateReceives whether receives are posted a few at a time
 * @param drainShare share of the bursts before which the send queue is drained
 * @param spareReceives posted receives that no message will use
 */
record EndShape(
    int sendDepth,
    int receiveDepth,
    int sgeMax,
    int inlineMax,
    boolean signalAll,
    double signaledShare,
    int rdAtomic,
    int timeout,
    int retryCnt,
    int rnrRetry,
    int minRnrTimer,
    int sqPsn,
    int sendCq,
    int receiveCq,
    int burstMax,
    int pauseMaxNs,
    boolean lateReceives,
    double drainShare,
    int spareReceives) {
  /** 0.5 ms: often less than a round trip through a busy fabric, so it expires although nothing was lost; eight times are more than a round trip. */
  private static final int TIMEOUT_SHORT = 7;
  private static final int TIMEOUT_MIN = 9;
  private static final int TIMEOUT_MAX = 12;
  private static final int RETRIES = 7;
  private static final int FOR_EVER = 7;
  private static final int FINITE_RNR_RETRIES = 6;
  /** 0.64 ms: with six retries longer than an eager receiver ever leaves its peer without a receive. */
  private static final int PATIENT_RNR_TIMER = 12;
  private static final long RNR_MAX_NS = 640_000;

  static EndShape draw(Draw draw, SimNode node) {
    return new EndShape(
        draw.skewed(1, 40),
        draw.skewed(1, 40),
        draw.between(1, 5),
        draw.pick(0, 16, 100, 256),
        draw.chance(0.2),
        draw.pick(0, 1, 2, 4) / 4.0,
        draw.skewed(1, 16),
        draw.chance(0.2) ? TIMEOUT_SHORT : draw.between(TIMEOUT_MIN, TIMEOUT_MAX),
        RETRIES,
        draw.chance(0.5) ? FOR_EVER : FINITE_RNR_RETRIES,
        draw.chance(0.5) ? PATIENT_RNR_TIMER : draw.between(1, PATIENT_RNR_TIMER),
        draw.psn(),
        draw.between(0, node.cqs.size() - 1),
        draw.between(0, node.cqs.size() - 1),
        draw.skewed(1, 16),
        draw.pick(500, 5_000, 50_000, 400_000),
        draw.chance(0.5),
        draw.chance(0.2) ? 0.1 : 0,
        draw.between(0, 2));
  }

  /** Whether a peer with a limited number of receiver-not-ready retries gets its receive in time. */
  boolean isPatient() {
    return !lateReceives && minRnrTimer == PATIENT_RNR_TIMER;
  }

  /** Receiver-not-ready retries of a queue pair towards {@code peer}. */
  int rnrRetryTowards(EndShape peer) {
    return peer.isPatient() ? rnrRetry : FOR_EVER;
  }

  /** Upper bound of the delay that {@link #minRnrTimer} asks for, in nanoseconds. */
  long rnrTimerNs() {
    return RNR_MAX_NS;
  }

  /** Local ACK timeout in nanoseconds. */
  long timeoutNs() {
    return 4096L << timeout;
  }
}
