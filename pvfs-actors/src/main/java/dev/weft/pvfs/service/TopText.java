package dev.weft.pvfs.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.service.StatusTable;
import dev.weft.service.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats the result of {@link TopLook#since} for people. */
final class TopText {
  private static final List<String> MOVING = List.of("read", "write");

  private TopText() {}

  static List<String> of(Map<String, Object> look) {
    JsonNode json = new ObjectMapper().valueToTree(look);
    List<String> lines = new ArrayList<>();
    daemons(json.path("daemons"), lines);
    disks(json.path("daemons"), lines);
    if (json.has("manager")) {
      lines.add("");
      lines.add("Manager: " + json.path("manager").path("clients").asInt() + " clients, " + count(json.path("manager").path("requestsPerS")) + " requests/s, "
          + count(json.path("manager").path("commitsPerS")) + " commits/s");
    }
    clients(json.path("clients"), lines);
    files(json.path("files"), lines);
    return lines;
  }

  private static void daemons(JsonNode daemons, List<String> lines) {
    TextTable table = new TextTable("DAEMON", ">FREE", ">FILES", ">CLIENTS", ">UNDER WAY", ">READS/s", ">WRITES/s", ">OTHERS/s", ">READ/s", ">WRITTEN/s",
        "BYTES/s BY BAND");
    for (JsonNode daemon : daemons) {
      int underWay = 0;
      for (JsonNode client : daemon.path("clients")) {
        underWay += client.path("underWay").asInt();
      }
      double others = 0;
      for (Map.Entry<String, JsonNode> op : daemon.path("requestsPerS").properties()) {
        others += MOVING.contains(op.getKey()) ? 0 : op.getValue().asDouble();
      }
      table.row(daemon.path("node").asText(), StatusTable.bytes(daemon.path("freeBytes").asLong()), daemon.path("files").asInt(),
          daemon.path("clients").size(), underWay, count(daemon.path("requestsPerS").path("read")), count(daemon.path("requestsPerS").path("write")),
          count(others), bytes(daemon.path("readBytesPerS")), bytes(daemon.path("writtenBytesPerS")), byBand(daemon.path("bytesPerS"), true));
    }
    lines.addAll(table.lines());
    for (JsonNode daemon : daemons) {
      if (daemon.path("starving").asInt() > 0) {
        lines.add(daemon.path("node").asText() + ": " + daemon.path("starving").asInt() + " writes wait for memory");
      }
    }
  }

  private static void disks(JsonNode daemons, List<String> lines) {
    TextTable table = new TextTable("DAEMON", ">ZONES", ">USED", ">JOBS", ">READ/s", ">WRITTEN/s", ">SYNCS/s", ">BAD BLOCKS", ">ERRORS", "DIRECTORY");
    for (JsonNode daemon : daemons) {
      JsonNode disk = daemon.path("disk");
      if (disk.isObject()) {
        table.row(daemon.path("node").asText(), disk.path("zones").asInt(), disk.path("zonesUsed").asInt(), disk.path("queue").asInt(),
            bytes(disk.path("readBytesPerS")), bytes(disk.path("writtenBytesPerS")), count(disk.path("syncsPerS")), disk.path("checksumErrors").asLong(),
            disk.path("errors").asLong(), disk.path("directory").asText());
      }
    }
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
    }
  }

  private static String byBand(JsonNode rates, boolean areBytes) {
    List<String> parts = new ArrayList<>();
    rates.properties().stream().filter(band -> band.getValue().asDouble() > 0)
        .forEach(band -> parts.add(band.getKey() + " " + (areBytes ? bytes(band.getValue()) : count(band.getValue()))));
    return String.join(", ", parts);
  }

  static void clients(JsonNode clients, List<String> lines) {
    TextTable table = new TextTable("CLIENT", ">OPERATIONS", ">READ/s", ">WRITTEN/s", ">COPIED/s", ">ERRORS", "REQUESTS/s BY BAND");
    TextTable links = new TextTable("CLIENT", "DAEMON", ">CREDITS", ">WAITING", ">SENT", "BANDS");
    for (JsonNode client : clients) {
      String name = client.path("name").asText();
      table.row(name, client.path("tasks").asInt(), bytes(client.path("readBytesPerS")), bytes(client.path("writtenBytesPerS")),
          bytes(client.path("copiedBytesPerS")), client.path("errors").asLong(), byBand(client.path("requestsPerS"), false));
      for (JsonNode link : client.path("daemons")) {
        links.row(name, link.path("node").asText(), link.path("credits").asInt(), link.path("waiting").asInt(), link.path("sent").asInt(),
            link.path("isUp").asBoolean() ? link.path("bands").asText() : "not reached: " + link.path("why").asText());
      }
    }
    for (TextTable each : List.of(table, links)) {
      if (!each.isEmpty()) {
        lines.add("");
        lines.addAll(each.lines());
      }
    }
  }

  private static void files(JsonNode files, List<String> lines) {
    TextTable table = new TextTable(">INODE", ">REQUESTS/s", ">BYTES/s");
    for (JsonNode file : files) {
      table.row(file.path("inode").asLong(), count(file.path("requestsPerS")), bytes(file.path("bytesPerS")));
    }
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
    }
  }

  private static String count(JsonNode rate) {
    return count(rate.asDouble());
  }

  private static String count(double rate) {
    return rate == 0 ? "0" : String.format(Locale.ROOT, rate < 10 ? "%.1f" : "%.0f", rate);
  }

  private static String bytes(JsonNode rate) {
    return rate.asLong() == 0 ? "0" : StatusTable.bytes(rate.asLong());
  }
}
