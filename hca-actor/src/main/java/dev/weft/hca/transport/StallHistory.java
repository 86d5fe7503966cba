package dev.weft.hca.transport;

import dev.weft.hca.verbs.Stall;

/** Records what a reliable requester waits for and since when, and computes its wait for a receiver that is not ready. Hardware thread. */
final class StallHistory {
  /** Up to this number of consecutive RNR NAKs, the wait is only as long as the peer requests; then back-off begins. */
  private static final int PATIENT_NAKS = 8;
  /** The longest wait by back-off; a peer may request a longer one. A posted receive ends the wait at once. */
  static final long BACK_OFF_MAX_NS = 100_000_000L;
  private static final int DOUBLINGS_MAX = 16;
  private static final long NEVER = Long.MIN_VALUE;

  private long rnrSinceNs = NEVER;
  private int rnrNaks;
  private long creditSinceNs = NEVER;
  private long progressNs;

  /** Records that the peer has acknowledged a packet. */
  void onProgress(long nowNs) {
    rnrSinceNs = NEVER;
    rnrNaks = 0;
    creditSinceNs = NEVER;
    progressNs = nowNs;
  }

  void clear() {
    onProgress(0);
  }

  /** Records that the peer's credit does not allow the next packet. */
  void onNoCredit(long nowNs) {
    if (creditSinceNs == NEVER) {
      creditSinceNs = nowNs;
    }
  }

  /** Records that the peer's credit allows the next packet. */
  void onCredit() {
    creditSinceNs = NEVER;
  }

  /**
   * Records an RNR NAK: the peer has no receive.
   *
   * @param askedNs the wait that the RNR NAK requests
   * @param forEver whether retries are unlimited; otherwise there is no back-off, because the number of retries and the peer's timer determine when the
   *     connection ends
   * @return nanoseconds to wait: {@code askedNs}; with unlimited retries, doubled for each consecutive NAK after the eighth
   */
  long onRnrNak(long nowNs, long askedNs, boolean forEver) {
    if (rnrSinceNs == NEVER) {
      rnrSinceNs = nowNs;
    }
    rnrNaks++;
    int doublings = Math.min(Math.max(0, rnrNaks - PATIENT_NAKS), DOUBLINGS_MAX);
    return forEver ? Math.max(askedNs, Math.min(askedNs << doublings, BACK_OFF_MAX_NS)) : askedNs;
  }

  /** Returns the reason for waiting, for a requester with uncompleted requests. */
  Stall stall(long nowNs, RetryHistory retries) {
    if (rnrSinceNs != NEVER) {
      return new Stall(Stall.Cause.RNR_STALLED, nowNs - rnrSinceNs);
    }
    if (creditSinceNs != NEVER) {
      return new Stall(Stall.Cause.WINDOW_FULL, nowNs - creditSinceNs);
    }
    return retries.isSilent() ? new Stall(Stall.Cause.PEER_SILENT, nowNs - retries.silentSinceNs()) : Stall.NONE;
  }

  /** Returns the stall of a queue whose slots all hold completed requests that were not polled. */
  Stall notPolled(long nowNs) {
    return new Stall(Stall.Cause.CQ_NOT_POLLED, nowNs - progressNs);
  }
}
