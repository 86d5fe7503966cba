package dev.weft.perftest;

import dev.weft.service.measure.LatencyRecorder;

/**
 * The result of one measurement.
 *
 * @param parameters its parameters
 * @param pathMtuBytes largest payload of a packet
 * @param jvms number of JVMs of the two nodes
 * @param messages messages measured
 * @param elapsedNs from the first start to the last completion
 * @param peakPerSecond messages per second in the best millisecond; 0 for latency tests
 * @param latency latencies in microseconds; null if not measured
 * @param copiesPerByte copied bytes of payload that both HCAs and the trunks have counted, per byte of payload that arrived
 * @param lost messages that did not arrive or, in latency tests, whose answer did not come in time; only for unreliable services
 * @param retransmitted packets that both sides retransmitted
 * @param parked results with the running target, if the target was parked during the measurement; null otherwise
 * @param wrong messages that verification found wrong
 * @param firstError what was wrong with the first of them
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
   * Results of a measurement in which the target's application and all dispatchers of its JVM were blocked and released in turn.
   *
   * @param threads number of blocked threads, the smallest of all turns
   * @param running latency while they were not blocked
   * @param answeredUs longest time in microseconds until the running application answered a question
   * @param unansweredMs shortest time in milliseconds for which the parked application did not answer a question; it answered after its release
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
