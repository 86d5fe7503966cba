package dev.weft.perftest;

import dev.weft.service.measure.MeasureJson;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Renders a measurement as one JSON object on one line. */
final class PerfJson {
  private PerfJson() {}

  static String of(PerfResult r) {
    PerfParameters p = r.parameters();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("test", p.test().cliName());
    json.put("connection", p.type().name());
    json.put("jvms", r.jvms());
    json.put("bytes", p.sizeBytes());
    json.put("iterations", r.messages());
    json.put("queuePairs", p.queuePairs());
    json.put("depth", p.depth());
    json.put("pathMtu", r.pathMtuBytes());
    json.put("inline", p.isInline());
    json.put("context", p.context().name().toLowerCase(Locale.ROOT));
    json.put("elapsedSeconds", r.elapsedNs() / 1e9);
    if (p.test().metric() == PerfMetric.BW) {
      json.put("bytesPerSecond", r.bytesPerSecond());
      json.put("peakBytesPerSecond", r.peakBytesPerSecond());
      json.put("messagesPerSecond", r.messagesPerSecond());
    }
    if (r.latency() != null) {
      json.put("latencyUs", MeasureJson.latency(r.latency()));
      json.put("latencyIs", p.rateOps() > 0 ? "from the scheduled start" : p.test().isPingPong() ? "half of the round trip"
          : "the round trip");
    }
    if (p.rateOps() > 0) {
      json.put("rate", p.rateOps());
    }
    json.put("copiesPerByte", r.copiesPerByte());
    if (p.isUnreliable()) {
      json.put("lost", r.lost());
    }
    json.put("retransmitted", r.retransmitted());
    json.put("verified", p.verify());
    json.put("wrong", r.wrong());
    if (r.parked() != null) {
      json.put("parked", parked(r.parked()));
    }
    return MeasureJson.line(json);
  }

  private static Map<String, Object> parked(PerfResult.Parked parked) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("threads", parked.threads());
    json.put("runningLatencyUs", MeasureJson.latency(parked.running()));
    json.put("answeredUs", parked.answeredUs());
    json.put("unansweredMs", parked.unansweredMs());
    return json;
  }
}
