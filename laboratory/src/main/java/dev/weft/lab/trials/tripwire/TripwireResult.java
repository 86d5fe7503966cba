package dev.weft.lab.trials.tripwire;

import dev.weft.service.measure.LatencyRecorder;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.measure.MeasureTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of one measurement.
 *
 * @param armedBeside additional Tripwires that no write touched
 * @param elapsedNs time of all rounds together
 * @param peakPerSecond writes per second in the best millisecond; 0 if latency is measured
 * @param latency latency of all rounds together; empty for streams
 * @param medians median of each round, in microseconds
 * @param rates rate of each round, in writes per second
 * @param wrong answers that differed from the written data
 */
record TripwireResult(TripwireParameters parameters, int jvms, int armedBeside, long writes, long elapsedNs, double peakPerSecond,
    LatencyRecorder latency, List<Double> medians, List<Double> rates, long wrong) {

  /** 2 if half of the round trip counts. */
  static int divisor(TripwireTest test) {
    return test == TripwireTest.RTT ? 2 : 1;
  }

  static String preamble(TripwireParameters p, int jvms) {
    return TripwireCommand.line(" tripwire %s, %d JVM%s, %d endpoint%s, %s", p.test().cliName(), jvms, jvms == 1 ? "" : "s", p.endpoints(),
        p.endpoints() == 1 ? "" : "s", p.test() == TripwireTest.RTT ? "told by " + p.how().name().toLowerCase(Locale.ROOT)
            : "depth " + p.depth() + (p.gapNs() > 0 ? ", " + p.gapNs() / 1000 + " us between requests" : ""));
  }

  private boolean hasRate() {
    return parameters.test() != TripwireTest.RTT;
  }

  private boolean hasLatency() {
    return latency.count() > 0;
  }

  String header() {
    return MeasureTable.columns(hasRate(), hasLatency()) + "   armed beside";
  }

  String row() {
    return MeasureTable.columns(parameters.sizeBytes(), writes, hasRate() ? rate() : null, hasLatency() ? summary() : null)
        + TripwireCommand.line(" %-12d", armedBeside).stripTrailing();
  }

  private MeasureTable.Rate rate() {
    double perSecond = writes * 1e9 / elapsedNs;
    return new MeasureTable.Rate(Math.max(peakPerSecond, perSecond) * parameters.sizeBytes(), perSecond * parameters.sizeBytes(), perSecond);
  }

  private LatencyRecorder.Summary summary() {
    return latency.summarise(divisor(parameters.test()));
  }

  /** The median of the rounds' ratios, which one disturbed round does not change. */
  String comparedWith(TripwireResult first) {
    boolean byLatency = hasLatency();
    List<Double> mine = byLatency ? medians : rates;
    List<Double> its = byLatency ? first.medians : first.rates;
    double[] ratios = new double[mine.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = mine.get(i) / its.get(i);
    }
    java.util.Arrays.sort(ratios);
    double middle = (ratios[(ratios.length - 1) / 2] + ratios[ratios.length / 2]) / 2;
    return TripwireCommand.line(" %d armed beside against %d: %s %.3f of it (median of %d rounds, %.3f to %.3f)", armedBeside,
        first.armedBeside, byLatency ? "t_typical" : "message rate", middle, ratios.length, ratios[0], ratios[ratios.length - 1]);
  }

  String json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("test", parameters.test().cliName());
    json.put("jvms", jvms);
    json.put("bytes", parameters.sizeBytes());
    json.put("iterations", writes);
    json.put("endpoints", parameters.endpoints());
    json.put("depth", parameters.depth());
    json.put("armedBeside", armedBeside);
    json.put("elapsedSeconds", elapsedNs / 1e9);
    if (parameters.test() == TripwireTest.RTT) {
      json.put("wait", parameters.how().name().toLowerCase(Locale.ROOT));
    }
    if (hasRate()) {
      MeasureTable.Rate rate = rate();
      json.put("bytesPerSecond", rate.average());
      json.put("peakBytesPerSecond", rate.peak());
      json.put("messagesPerSecond", rate.messages());
    }
    if (hasLatency()) {
      json.put("latencyUs", MeasureJson.latency(summary()));
      json.put("latencyIs", divisor(parameters.test()) == 2 ? "half of the round trip" : "the round trip");
      json.put("roundMedians", medians);
    } else {
      json.put("roundMessagesPerSecond", rates);
    }
    json.put("wrong", wrong);
    return MeasureJson.line(json);
  }
}
