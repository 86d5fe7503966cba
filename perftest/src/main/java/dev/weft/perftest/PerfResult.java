package dev.weft.perftest;

import dev.weft.service.measure.LatencyRecorder;

/**
 * What one measurement gave.
 *
 * @param messages messages measured
 * @param elapsedNs from the first start to the last completion
 * @param peakPerSecond messages per second in the best millisecond; 0 for latency tests
 * @param latency microseconds, or null where not measured
 * @param copiesPerByte copies of payload that both HCAs and the trunks have counted, per byte of payload that arrived
 * @param lost messages that did not arrive, or for latency whose answer did not come in time; only where the service is unreliable
 * @param retransmitted packets sent again, both sides
 * @param parked how it was with the target running, where it was parked while the above was measured; null otherwise
 * @param wrong messages that verification found wrong
 * @param firstError the first of them
 */
record PerfResult(
    PerfParameters parameters,
    int pathMtuBytes,
    int jvms,
    long messages,
    long elapsedNs,
    double peakPerSecond,
    LatencyRecorder.Summary latency,
    double copiesPerByte,
    long lost,
    long retransmitted,
    Parked parked,
    long wrong,
    String firstError) {

  /**
   * The target's application and all dispatchers of its JVM blocked in turn with not.
   *
   * @param threads that were blocked, the fewest of all turns
   * @param running latency while they were not
   * @param answeredUs until the application answered a question while it was running, the longest
   * @param unansweredMs for how long it did not answer one while it was parked, the shortest; each was answered when it went on
   */
  record Parked(int threads, LatencyRecorder.Summary running, double answeredUs, double unansweredMs) {}

  double messagesPerSecond() {
    return messages * 1e9 / Math.max(1, elapsedNs);
  }

  double bytesPerSecond() {
    return messagesPerSecond() * parameters.sizeBytes();
  }

  double peakBytesPerSecond() {
    return peakPerSecond * parameters.sizeBytes();
  }
}
