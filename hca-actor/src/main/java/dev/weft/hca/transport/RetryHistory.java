package dev.weft.hca.transport;

/** Counts the transport retries of a reliable connection: those left, the most used, and how long its peer was silent. Hardware thread. */
final class RetryHistory {
  private static final long NONE = Long.MIN_VALUE;

  private int left;
  private int retriesMost;
  private long silenceMaxNs;
  /** The time since which the peer is silent, set after a timeout; or {@link #NONE}. */
  private long silentSinceNs = NONE;

  /** @param max number of retries before the connection fails */
  void start(int max) {
    left = max;
    retriesMost = 0;
    silenceMaxNs = 0;
    silentSinceNs = NONE;
  }

  /** Uses one of at most {@code max} retries. */
  void onRetry(int max) {
    left--;
    retriesMost = Math.max(retriesMost, max - left);
  }

  /** Records a timeout. */
  void onTimeout(long waitedSinceNs, long nowNs) {
    if (silentSinceNs == NONE) {
      silentSinceNs = waitedSinceNs;
    }
    silenceMaxNs = Math.max(silenceMaxNs, nowNs - silentSinceNs);
  }

  /** Restores all {@code max} retries, because the peer has responded. */
  void onAnswer(int max, long nowNs) {
    if (left == max) {
      return;
    }
    left = max;
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

  /** The remaining retries. */
  int left() {
    return left;
  }

  /** The largest number of retries used before an acknowledgement. */
  int retriesMost() {
    return retriesMost;
  }

  /** The longest wait for a response that exceeded the timeout, in nanoseconds; 0 if no wait did. */
  long silenceMaxNs() {
    return silenceMaxNs;
  }
}
