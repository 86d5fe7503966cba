package dev.weft.pvfs.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state of a file system in the JVMs of a fabric at one time.
 *
 * @param atNs when
 * @param daemons by node, as in {@code /weft/pvfs-io}
 * @param manager as in {@code /weft/pvfs}; missing if there is none, or it was not asked
 * @param clients by name, as {@code /weft/pvfs-client} shows that of the first JVM
 */
record TopLook(long atNs, Map<String, JsonNode> daemons, JsonNode manager, Map<String, JsonNode> clients) {
  private static final int FILES_MAX = 16;
  private static final JsonNode NOT_ASKED_FOR = JsonNodeFactory.instance.objectNode().put("requests", 0).put("bytes", 0);

  static TopLook of(long atNs, List<JsonNode> daemonSections, List<JsonNode> managers, Map<String, JsonNode> clients) {
    Map<String, JsonNode> daemons = new TreeMap<>();
    daemonSections.forEach(section -> section.properties().forEach(daemon -> daemons.put(daemon.getKey(), daemon.getValue())));
    return new TopLook(atNs, daemons, managers.isEmpty() ? MissingNode.getInstance() : managers.getFirst(), clients);
  }

  /** Returns the present state and the rates per second since {@code before}, for {@code --json} and for people. */
  Map<String, Object> since(TopLook before) {
    double seconds = Math.max(1e-3, (atNs - before.atNs) / 1e9);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seconds", seconds);
    List<Object> daemonRows = new ArrayList<>();
    daemons.forEach((node, now) -> daemonRows.add(daemon(node, now, before.daemons.getOrDefault(node, MissingNode.getInstance()), seconds)));
    json.put("daemons", daemonRows);
    if (!manager.isMissingNode()) {
      json.put("manager", Map.of("clients", manager.path("connected").asInt(), "requestsPerS", rate(manager, before.manager, "requests", seconds),
          "commitsPerS", rate(manager, before.manager, "commits", seconds)));
    }
    List<Object> clientRows = new ArrayList<>();
    clients.forEach((name, now) -> clientRows.add(client(name, now, before.clients.getOrDefault(name, MissingNode.getInstance()), seconds)));
    json.put("clients", clientRows);
    json.put("files", files(before, seconds));
    return json;
  }

  private static double rate(JsonNode now, JsonNode before, String field, double seconds) {
    return rate(now.path(field), before.path(field), seconds);
  }

  /** Returns a rate. A count that has decreased belongs to a restarted process. If there was no count before, the rate is 0 until the next look. */
  private static double rate(JsonNode now, JsonNode before, double seconds) {
    return before.isMissingNode() ? 0 : (now.asLong() >= before.asLong() ? now.asLong() - before.asLong() : now.asLong()) / seconds;
  }

  private static String spelt(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Object> byName(Enum<?>[] names, JsonNode now, JsonNode before, double seconds) {
    Map<String, Object> rates = new LinkedHashMap<>();
    for (Enum<?> name : names) {
      rates.put(spelt(name), rate(now.path(name.ordinal()), before.path(name.ordinal()), seconds));
    }
    return rates;
  }

  private static Map<String, Object> daemon(String node, JsonNode now, JsonNode before, double seconds) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", node);
    row.put("memoryBytes", now.path("memoryBytes").asLong());
    row.put("freeBytes", now.path("freeBytes").asLong());
    row.put("files", now.path("objects").asInt());
    row.put("requestsPerS", byName(DaemonOp.values(), now.path("requests"), before.path("requests"), seconds));
    row.put("bytesPerS", byName(Band.values(), now.path("bandBytes"), before.path("bandBytes"), seconds));
    putBytes(row, now, before, seconds);
    row.put("copiedBytesPerS", rate(now, before, "bytesCopied", seconds));
    row.put("moving", now.path("moving").asInt());
    row.put("starving", now.path("starving").asInt());
    List<Object> connections = new ArrayList<>();
    now.path("clients").forEach(client -> connections.add(Map.of("node", client.path("node").asText(), "credits", client.path("credits").asInt(),
        "underWay", client.path("underWay").asInt(), "requests", client.path("requests").asLong())));
    row.put("clients", connections);
    row.put("lent", now.path("lent").asInt());
    row.put("badWrites", now.path("badWrites").asLong());
    if (now.path("disk").isObject()) {
      row.put("disk", disk(now.path("disk"), before.path("disk"), seconds));
    }
    return row;
  }

  private static void putBytes(Map<String, Object> row, JsonNode now, JsonNode before, double seconds) {
    row.put("readBytesPerS", rate(now, before, "bytesRead", seconds));
    row.put("writtenBytesPerS", rate(now, before, "bytesWritten", seconds));
  }

  private static Map<String, Object> disk(JsonNode now, JsonNode before, double seconds) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("directory", now.path("directory").asText());
    row.put("zones", now.path("zones").asInt());
    row.put("zonesUsed", now.path("zonesUsed").asInt());
    row.put("queue", now.path("queue").asInt());
    putBytes(row, now, before, seconds);
    row.put("syncsPerS", rate(now, before, "syncs", seconds));
    row.put("checksumErrors", now.path("checksumErrors").asLong());
    row.put("errors", now.path("errors").asLong());
    return row;
  }

  private static Map<String, Object> client(String name, JsonNode now, JsonNode before, double seconds) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", name);
    row.put("tasks", now.path("tasks").asInt());
    row.put("requestsPerS", byName(Band.values(), now.path("sentBy"), before.path("sentBy"), seconds));
    putBytes(row, now, before, seconds);
    row.put("copiedBytesPerS", rate(now, before, "bytesCopied", seconds));
    row.put("errors", now.path("errors").asLong());
    row.put("badReads", now.path("badReads").asLong());
    row.put("badWrites", now.path("badWrites").asLong());
    row.put("registrations", now.path("registrations").asInt());
    row.put("daemons", now.path("daemons"));
    return row;
  }

  private List<Object> files(TopLook before, double seconds) {
    Map<Long, double[]> sums = new LinkedHashMap<>();
    daemons.forEach((node, now) -> now.path("busiest").forEach(file -> {
      JsonNode were = before.daemons.getOrDefault(node, MissingNode.getInstance()).path("busiest");
      JsonNode was = of(were, file.path("object").asLong(), were.size() < now.path("busiest").size());
      double[] sum = sums.computeIfAbsent(file.path("object").asLong(), _ -> new double[2]);
      sum[0] += rate(file, was, "requests", seconds);
      sum[1] += rate(file, was, "bytes", seconds);
    }));
    List<Object> rows = new ArrayList<>();
    sums.entrySet().stream().filter(file -> file.getValue()[0] > 0).sorted(Comparator.comparingDouble(file -> -file.getValue()[1])).limit(FILES_MAX)
        .forEach(file -> rows.add(Map.of("inode", file.getKey(), "requestsPerS", file.getValue()[0], "bytesPerS", file.getValue()[1])));
    return rows;
  }

  /** {@code areAll}: the list had room for more, so an object that is not in it had no requests. */
  private static JsonNode of(JsonNode busiest, long object, boolean areAll) {
    for (JsonNode file : busiest) {
      if (file.path("object").asLong() == object) {
        return file;
      }
    }
    return busiest.isArray() && areAll ? NOT_ASKED_FOR : MissingNode.getInstance();
  }
}
