package dev.weft.hca.transport;

/** How near a reliable connection came to the end of its retries. Hardware thread. */
final class RetryHistory {
  private static final long NONE = Long.MIN_VALUE;

  private int retriesMost;
  private long silenceMaxNs;
  /** Since when nothing was heard, once a timeout has passed; or {@link #NONE}. */
  private long silentSinceNs = NONE;

  void clear() {
    retriesMost = 0;
    silenceMaxNs = 0;
    silentSinceNs = NONE;
  }

  /** So many retries are used up now. */
  void onRetry(int used) {
    retriesMost = Math.max(retriesMost, used);
  }

  /** Nothing came in time. */
  void onTimeout(long waitedSinceNs, long nowNs) {
    if (silentSinceNs == NONE) {
      silentSinceNs = waitedSinceNs;
    }
    silenceMaxNs = Math.max(silenceMaxNs, nowNs - silentSinceNs);
  }

  /** An answer, after retries. */
  void onAnswer(long nowNs) {
    if (silentSinceNs != NONE) {
      silenceMaxNs = Math.max(silenceMaxNs, nowNs - silentSinceNs);
      silentSinceNs = NONE;
    }
  }

  /** A timeout has expired, and nothing was heard since. */
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
