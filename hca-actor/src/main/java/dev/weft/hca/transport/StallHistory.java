package dev.weft.hca.transport;

import dev.weft.hca.verbs.Stall;

/** Since when, and for what, a reliable requester waits; and how long it waits for a receiver that is not ready. Hardware thread. */
final class StallHistory {
  /** So many RNR NAKs in a row wait only as long as the peer asks. */
  private static final int PATIENT_NAKS = 8;
  /** The longest wait that back-off makes; a peer may ask for more. A receive that is posted ends the wait at once. */
  static final long BACK_OFF_MAX_NS = 100_000_000L;
  private static final int DOUBLINGS_MAX = 16;
  private static final long NEVER = Long.MIN_VALUE;

  private long rnrSinceNs = NEVER;
  private int rnrNaks;
  private long creditSinceNs = NEVER;
  private long progressNs;

  /** The peer has acknowledged something. */
  void onProgress(long nowNs) {
    rnrSinceNs = NEVER;
    rnrNaks = 0;
    creditSinceNs = NEVER;
    progressNs = nowNs;
  }

  void clear() {
    onProgress(0);
  }

  /** The peer's credit does not allow the next packet. */
  void onNoCredit(long nowNs) {
    if (creditSinceNs == NEVER) {
      creditSinceNs = nowNs;
    }
  }

  /** The peer's credit allows the next packet. */
  void onCredit() {
    creditSinceNs = NEVER;
  }

  /**
   * The peer has no receive.
   *
   * @param askedNs the wait that its RNR NAK asks for
   * @param forEver whether retries are not counted; where they are, their number and the peer's timer say when the connection ends
   * @return nanoseconds to wait: {@code askedNs}, doubled with each further NAK in a row
   */
  long onRnrNak(long nowNs, long askedNs, boolean forEver) {
    if (rnrSinceNs == NEVER) {
      rnrSinceNs = nowNs;
    }
    rnrNaks++;
    int doublings = Math.min(Math.max(0, rnrNaks - PATIENT_NAKS), DOUBLINGS_MAX);
    return forEver ? Math.max(askedNs, Math.min(askedNs << doublings, BACK_OFF_MAX_NS)) : askedNs;
  }

  /** What it waits for, if it has requests that are not completed. */
  Stall stall(long nowNs, RetryHistory retries) {
    if (rnrSinceNs != NEVER) {
      return new Stall(Stall.Cause.RNR_STALLED, nowNs - rnrSinceNs);
    }
    if (creditSinceNs != NEVER) {
      return new Stall(Stall.Cause.WINDOW_FULL, nowNs - creditSinceNs);
    }
    return retries.isSilent() ? new Stall(Stall.Cause.PEER_SILENT, nowNs - retries.silentSinceNs()) : Stall.NONE;
  }

  /** All slots hold completed requests. */
  Stall notPolled(long nowNs) {
    return new Stall(Stall.Cause.CQ_NOT_POLLED, nowNs - progressNs);
  }
}
