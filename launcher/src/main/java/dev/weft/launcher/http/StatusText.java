package dev.weft.launcher.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.launcher.http.StatusReport.JvmReport;
import dev.weft.launcher.http.StatusReport.MemberReport;
import dev.weft.service.StatusTable;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.terminal.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/** Renders a report as tables. Tables without rows are left out. */
final class StatusText {
  private static final int ALARMS_MAX = 20;

  private final StatusReport report;
  private final StringBuilder out = new StringBuilder();

  private StatusText(StatusReport report) {
    this.report = report;
  }

  static String of(StatusReport report) {
    StatusText text = new StatusText(report);
    text.head();
    text.members();
    text.jvms();
    text.nodes();
    text.trunks();
    text.copies();
    text.services();
    text.alarms();
    return text.out.toString();
  }

  private void head() {
    long answered = report.jvms().stream().filter(JvmReport::reachable).count();
    out.append(report.health()).append(": ").append(answered).append(" of ").append(report.jvms().size())
        .append(report.jvms().size() == 1 ? " JVM answered\n" : " JVMs answered\n");
  }

  private void members() {
    TextTable table = new TextTable("ADDRESS", "STATE", "ROLES", ">SEEN BY", "NOT HEARD BY");
    for (MemberReport member : report.members()) {
      table.row(member.address(), member.state(), String.join(",", member.roles()), member.seenBy(),
          String.join(",", member.unreachableFrom()));
    }
    append("Cluster members", table);
  }

  private void jvms() {
    TextTable table = new TextTable("NAME", "URL", "STATE", "VERSION", ">PID", ">UPTIME", ">NODES", ">QPS", ">ALARMS");
    for (JvmReport jvm : report.jvms()) {
      if (jvm.reachable()) {
        JsonNode status = jvm.status();
        JsonNode process = status.path("jvm");
        JsonNode totals = status.path("totals");
        table.row(process.path("name").asText(), jvm.url(), "answers", status.path("version").asText(),
            process.path("pid").asLong(), uptime(process.path("uptimeMs").asLong()), totals.path("nodes").asInt(),
            totals.path("queuePairs").asInt(), status.path("alarmCount").asInt());
      } else {
        table.row("-", jvm.url(), jvm.busy() ? "busy" : "unreachable", "-", "-", "-", "-", "-", "-");
      }
    }
    report.members().stream().filter(member -> member.roles().contains(FabricAccess.PROGRAM_ROLE) && !member.state().equals("Removed"))
        .forEach(member -> table.row(member.address(), "-", "program", "-", "-", "-", "-", "-", "-"));
    append("JVMs", table);
    report.jvms().stream().filter(jvm -> !jvm.reachable())
        .forEach(jvm -> out.append("  ").append(jvm.url()).append(": ").append(jvm.problem()).append('\n'));
  }

  private void nodes() {
    TextTable table = new TextTable("NODE", "JVM", ">LID", "LINK", "QPS", ">CQS", ">MRS", ">REGISTERED", ">SENT",
        ">RECEIVED", ">SILENCE", ">ALARMS");
    each("nodes", (jvm, node) -> table.row(node.path("name").asText(), jvm, node.path("lid").asInt(), link(node), queuePairs(node),
        node.path("completionQueues").asInt(), node.path("memoryRegions").asInt(), StatusTable.bytes(node.path("registeredBytes").asLong()),
        StatusTable.bytes(node.path("bytesSent").asLong()), StatusTable.bytes(node.path("bytesReceived").asLong()), silence(node),
        node.path("alarmCount").asInt()));
    append("Nodes", table);
  }

  private static String link(JsonNode node) {
    return !node.path("answered").asBoolean() ? "silent" : node.path("linkUp").asBoolean() ? "up" : "down";
  }

  /** Returns how near a connection came to the end of its retries. */
  private static String silence(JsonNode node) {
    long budgetNs = node.path("retryBudgetNs").asLong();
    return budgetNs == 0 ? "-" : String.format(Locale.ROOT, "%.2f of %.1f s", node.path("silenceMaxNs").asLong() / 1e9, budgetNs / 1e9);
  }

  private static String queuePairs(JsonNode node) {
    List<String> states = new ArrayList<>();
    node.path("queuePairsByState").properties().forEach(state -> states.add(state.getValue().asText() + " " + state.getKey()));
    return states.isEmpty() ? "0" : String.join(", ", states);
  }

  private void trunks() {
    TextTable table = new TextTable("JVM", "TO", ">PORT", "OVER", "STATE", ">SENT", ">RECEIVED", ">COPIED", ">BACK PRESSURE",
        ">QUEUED", ">DISCARDED");
    for (JvmReport jvm : report.jvms()) {
      if (jvm.trunks() != null) {
        jvm.trunks().forEach(trunk -> {
          JsonNode sent = trunk.path("sent");
          table.row(name(jvm), trunk.path("jvm").asText(), trunk.path("portNumber").asInt(),
              trunk.path("overUdp").asBoolean() ? "UDP" : "memory", trunk.path("up").asBoolean() ? "up" : "down",
              StatusTable.bytes(sent.path("sentBytes").asLong()), StatusTable.bytes(trunk.path("received").path("receivedBytes").asLong()),
              StatusTable.bytes(sent.path("bytesCopied").asLong()), sent.path("backPressured").asLong(), sent.path("queued").asInt(),
              discarded(sent) + discarded(trunk.path("received")));
        });
      }
    }
    append("Trunks", table);
  }

  private static long discarded(JsonNode counters) {
    long sum = 0;
    for (Map.Entry<String, JsonNode> counter : counters.properties()) {
      sum += counter.getKey().startsWith("discarded") ? counter.getValue().asLong() : 0;
    }
    return sum;
  }

  /** Adds how often a payload byte is copied on its way from memory to memory, over all JVMs that answered. */
  private void copies() {
    long received = 0;
    long copied = 0;
    for (JvmReport jvm : report.jvms()) {
      if (jvm.reachable()) {
        JsonNode totals = jvm.status().path("totals");
        received += totals.path("bytesReceived").asLong();
        copied += totals.path("bytesCopied").asLong();
        if (jvm.trunks() != null) {
          for (JsonNode trunk : jvm.trunks()) {
            copied += trunk.path("sent").path("bytesCopied").asLong();
          }
        }
      }
    }
    if (received > 0) {
      out.append(String.format(Locale.ROOT, "%nCopies of each payload byte: %.2f%n", copied / (double) received));
    }
  }

  /** Adds the tables of services. Tables of several JVMs with the same title are merged; the second column is the JVM. */
  private void services() {
    Map<List<String>, TextTable> tables = new LinkedHashMap<>();
    each("tables", (jvm, table) -> {
      JsonNode columns = table.path("columns");
      // JVMs of another version may have other columns.
      TextTable text = tables.computeIfAbsent(List.of(table.path("title").asText(), columns.toString()), _ -> new TextTable(withJvm(columns, "JVM")));
      table.path("rows").forEach(row -> text.row((Object[]) withJvm(row, jvm)));
    });
    tables.forEach((key, table) -> append(key.getFirst(), table));
  }

  private static String[] withJvm(JsonNode cells, String jvm) {
    List<String> all = new ArrayList<>();
    cells.forEach(cell -> all.add(cell.asText()));
    all.add(Math.min(1, all.size()), jvm);
    return all.toArray(String[]::new);
  }

  private void alarms() {
    TextTable table = new TextTable("SEVERITY", "KIND", "JVM", "ELEMENT", "TEXT");
    for (String severity : List.of("ERROR", "WARNING")) {
      each("alarms", (jvm, alarm) -> {
        if (table.size() < ALARMS_MAX && alarm.path("severity").asText().equals(severity)) {
          table.row(severity, alarm.path("kind").asText(), jvm, alarm.path("element").asText(), alarm.path("text").asText());
        }
      });
    }
    append("Alarms", table);
    long count = report.jvms().stream().filter(JvmReport::reachable).mapToLong(jvm -> jvm.status().path("alarmCount").asLong()).sum();
    if (count > ALARMS_MAX) {
      out.append("  and ").append(count - ALARMS_MAX).append(" more\n");
    }
  }

  private void append(String title, TextTable table) {
    if (!table.isEmpty()) {
      out.append('\n').append(title).append('\n');
      table.lines().forEach(line -> out.append("  ").append(line).append('\n'));
    }
  }

  private void each(String list, BiConsumer<String, JsonNode> row) {
    for (JvmReport jvm : report.jvms()) {
      if (jvm.reachable()) {
        jvm.status().path(list).forEach(item -> row.accept(name(jvm), item));
      }
    }
  }

  private static String name(JvmReport jvm) {
    return jvm.status().path("jvm").path("name").asText();
  }

  /** Returns a time in its two largest units. */
  static String uptime(long ms) {
    long seconds = ms / 1000;
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds < 86_400
        ? seconds / 3600 + "h" + seconds % 3600 / 60 + "m"
        : seconds / 86_400 + "d" + seconds % 86_400 / 3600 + "h";
  }
}
