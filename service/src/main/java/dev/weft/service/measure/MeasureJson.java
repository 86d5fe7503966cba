package dev.weft.service.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes one JSON object per measurement, on one line. */
public final class MeasureJson {
  private MeasureJson() {}

  /** Returns the object on one line, with its keys in the map's order. */
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
