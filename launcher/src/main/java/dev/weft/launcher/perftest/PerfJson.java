package dev.weft.launcher.perftest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** One JSON object per measurement, on one line. */
public final class PerfJson {
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
      json.put("latencyUs", latency(r.latency()));
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
    return line(json);
  }

  private static Map<String, Object> parked(PerfResult.Parked parked) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("threads", parked.threads());
    json.put("runningLatencyUs", latency(parked.running()));
    json.put("answeredUs", parked.answeredUs());
    json.put("unansweredMs", parked.unansweredMs());
    return json;
  }

  /** The object on one line, its keys in their order. */
  public static String line(Map<String, Object> json) {
    try {
      return new ObjectMapper().writeValueAsString(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The figures of a distribution, in microseconds. */
  public static Map<String, Object> latency(LatencyRecorder.Summary l) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("min", l.min());
    json.put("max", l.max());
    json.put("typical", l.median());
    json.put("avg", l.mean());
    json.put("stdev", l.stdev());
    json.put("p99", l.p99());
    json.put("p999", l.p999());
    return json;
  }
}
