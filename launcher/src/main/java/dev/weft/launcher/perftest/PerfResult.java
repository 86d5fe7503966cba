package dev.weft.launcher.perftest;

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
 * @param targetParked whether the target's application slept throughout
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
    boolean targetParked,
    long wrong,
    String firstError) {

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
