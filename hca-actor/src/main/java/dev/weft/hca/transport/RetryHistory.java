package dev.weft.hca.transport;

/** Records how many retries a reliable connection has used at most, and how long its peer was silent. Hardware thread. */
final class RetryHistory {
  private static final long NONE = Long.MIN_VALUE;

  private int retriesMost;
  private long silenceMaxNs;
  /** The time since which the peer is silent, set after a timeout; or {@link #NONE}. */
  private long silentSinceNs = NONE;

  void clear() {
    retriesMost = 0;
    silenceMaxNs = 0;
    silentSinceNs = NONE;
  }

  /** Records that {@code used} retries are used. */
  void onRetry(int used) {
    retriesMost = Math.max(retriesMost, used);
  }

  /** Records a timeout. */
  void onTimeout(long waitedSinceNs, long nowNs) {
    if (silentSinceNs == NONE) {
      silentSinceNs = waitedSinceNs;
    }
    silenceMaxNs = Math.max(silenceMaxNs, nowNs - silentSinceNs);
  }

  /** Records a response after retries. */
  void onAnswer(long nowNs) {
    if (silentSinceNs != NONE) {
      silenceMaxNs = Math.max(silenceMaxNs, nowNs - silentSinceNs);
      silentSinceNs = NONE;
    }
  }

  /** Whether the peer has been silent since a timeout. */
  boolean isSilent() {
    return silentSinceNs != NONE;
  }

  long silentSinceNs() {
    return silentSinceNs;
  }

  int retriesMost() {
    return retriesMost;
  }

  long silenceMaxNs() {
    return silenceMaxNs;
  }
}
