package dev.weft.dsm.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One shared memory, combined from the reports of its nodes: each home has counted its own minipages.
 *
 * @param arrays arrays by what happens to them, the worst first
 * @param worst minipages, the worst first
 */
record TopSpace(String name, List<Map<String, Object>> nodes, List<ArrayRow> arrays, List<JsonNode> worst, List<JsonNode> faults, List<JsonNode> locks,
    List<JsonNode> barriers) {
  private static final int WORST_MAX = 64;

  /** An array, summed over its homes. */
  record ArrayRow(String name, String shape, String site, long strideBytes, long readFaults, long writeFaults, long invalidations, long pingPongs,
      long bytesMoved, int falselyShared, long unit) {
    static ArrayRow of(JsonNode json) {
      return new ArrayRow(json.path("name").asText(), json.path("shape").asText(), json.path("site").asText(), json.path("strideBytes").asLong(),
          json.path("readFaults").asLong(), json.path("writeFaults").asLong(), json.path("invalidations").asLong(), json.path("pingPongs").asLong(),
          json.path("bytesMoved").asLong(), json.path("falselyShared").asInt(), json.path("unit").asLong());
    }

    ArrayRow plus(ArrayRow other) {
      long both = unit == 0 ? other.unit : other.unit == 0 ? unit : Math.min(unit, other.unit);
      return new ArrayRow(name, shape, site, strideBytes, readFaults + other.readFaults, writeFaults + other.writeFaults,
          invalidations + other.invalidations, pingPongs + other.pingPongs, bytesMoved + other.bytesMoved, falselyShared + other.falselyShared, both);
    }

    long trouble() {
      return pingPongs + invalidations;
    }
  }

  /** The spaces of these reports, by name. */
  static List<TopSpace> of(List<JsonNode> reports) {
    Map<String, List<JsonNode>> bySpace = new TreeMap<>();
    reports.forEach(report -> bySpace.computeIfAbsent(report.path("node").path("space").asText(), unknown -> new ArrayList<>()).add(report));
    return bySpace.entrySet().stream().map(entry -> of(entry.getKey(), entry.getValue())).toList();
  }

  private static TopSpace of(String name, List<JsonNode> reports) {
    Map<String, ArrayRow> arrays = new LinkedHashMap<>();
    List<Map<String, Object>> nodes = new ArrayList<>();
    List<JsonNode> worst = new ArrayList<>();
    List<JsonNode> faults = new ArrayList<>();
    List<JsonNode> locks = new ArrayList<>();
    List<JsonNode> barriers = new ArrayList<>();
    for (JsonNode report : reports) {
      report.path("sharing").path("arrays").forEach(array -> arrays.merge(array.path("name").asText(), ArrayRow.of(array), ArrayRow::plus));
      report.path("sharing").path("worst").forEach(worst::add);
      report.path("faults").forEach(faults::add);
      report.path("locks").forEach(locks::add);
      report.path("barriers").forEach(barriers::add);
      Map<String, Object> node = new LinkedHashMap<>();
      node.put("number", report.path("node").path("number").asInt());
      node.put("name", report.path("nodeName").asText());
      node.put("members", report.path("node").path("members"));
      node.put("minipages", report.path("minipages"));
      node.put("faultsWaiting", report.path("node").path("faultsWaiting").asInt());
      node.put("counted", report.path("sharing").path("counted").asInt());
      node.put("uncounted", report.path("sharing").path("uncounted").asLong());
      nodes.add(node);
    }
    worst.sort(Comparator.comparingLong(TopSpace::trouble).reversed());
    faults.sort(Comparator.comparingLong((JsonNode fault) -> fault.path("ageMs").asLong()).reversed());
    return new TopSpace(name, nodes, arrays.values().stream().sorted(Comparator.comparingLong(ArrayRow::trouble).reversed()).toList(),
        List.copyOf(worst.subList(0, Math.min(WORST_MAX, worst.size()))), faults, locks, barriers);
  }

  private static long trouble(JsonNode minipage) {
    return minipage.path("pingPongs").asLong() + minipage.path("invalidations").asLong();
  }

  /** The value for {@code --json}. */
  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("space", name);
    json.put("nodes", nodes);
    json.put("arrays", arrays);
    json.put("worst", worst);
    json.put("faults", faults);
    json.put("locks", locks);
    json.put("barriers", barriers);
    return json;
  }
}
