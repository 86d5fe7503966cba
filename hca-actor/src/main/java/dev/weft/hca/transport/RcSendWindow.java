package dev.weft.hca.transport;

/**
 * The positions of a reliable requester in its send queue, and the PSNs of its packets. Used on the hardware thread only.
 *
 * <p>Invariants: {@code una <= next <= tail}; all requests before {@code una} are completed; PSNs from {@code psnUna} to {@code psnMax}
 * are assigned and not yet acknowledged.
 */
final class RcSendWindow {
  private final SendQueue sq;
  /** The oldest request that is not completed. */
  long una;
  /** The request that is being transmitted or is transmitted next. */
  long next;
  /** The number of packets of {@code next} that have been sent. */
  int sentPackets;
  int psnUna;
  int psnMax;
  /** After going back, packets before this PSN are retransmissions. */
  private int psnRetransmitEnd;

  RcSendWindow(SendQueue sq) {
    this.sq = sq;
  }

  /** Drops the posted requests. */
  void reset() {
    una = sq.tail();
    next = una;
    sq.forget(una);
    sentPackets = 0;
  }

  void start(int sqPsn) {
    psnUna = sqPsn;
    psnMax = sqPsn;
    psnRetransmitEnd = sqPsn;
  }

  /** Called when all requests have completed with an error. */
  void flushed() {
    next = una;
    sentPackets = 0;
    psnUna = psnMax;
  }

  SendWqe head() {
    return sq.slot(una);
  }

  /** Returns the request that is being transmitted; the caller must have checked {@link #allSent}. */
  SendWqe current() {
    return sq.slot(next);
  }

  boolean allSent() {
    return next == sq.tail();
  }

  /** Whether PSNs are assigned and not acknowledged. */
  boolean hasOutstanding() {
    return psnUna != psnMax;
  }

  /** Moves to the next request. */
  void advance() {
    next++;
    sentPackets = 0;
  }

  boolean isRetransmission(int psn) {
    return Psn.diff(psn, psnRetransmitEnd) < 0;
  }

  /** Whether the oldest request has PSNs, that is, it was started and has no local error. */
  boolean isHeadAssigned() {
    return isAssigned(una);
  }

  private boolean isAssigned(long counter) {
    if (counter >= sq.tail()) {
      return false;
    }
    SendWqe wqe = sq.slot(counter);
    return wqe.started && wqe.localError == null;
  }

  /** Returns the PSN of the next packet. */
  int nextPsn() {
    return isAssigned(next) ? Psn.add(current().firstPsn, sentPackets) : psnMax;
  }

  /** Returns the first PSN that has not been sent. */
  int sentEnd() {
    int psn = nextPsn();
    return isRetransmission(psn) ? psnRetransmitEnd : psn;
  }

  /** Goes back to the packet with that PSN, which belongs to the oldest request. */
  void goBack(int psn) {
    int sent = nextPsn();
    if (Psn.diff(sent, psnRetransmitEnd) > 0) {
      psnRetransmitEnd = sent;
    }
    next = una;
    sentPackets = isHeadAssigned() ? Psn.diff(psn, head().firstPsn) : 0;
  }

  /**
   * Skips packets that need no retransmission, because an acknowledgement that arrived after going back covers them. Returns whether it skipped whole
   * requests.
   */
  boolean skipAcknowledged() {
    if (Psn.diff(psnUna, psnRetransmitEnd) > 0) {
      psnRetransmitEnd = psnUna;
    }
    boolean skips = next < una;
    if (skips) {
      next = una;
      sentPackets = 0;
    }
    if (next == una && isHeadAssigned()) {
      sentPackets = Math.max(sentPackets, Psn.diff(psnUna, head().firstPsn));
    }
    return skips;
  }
}
