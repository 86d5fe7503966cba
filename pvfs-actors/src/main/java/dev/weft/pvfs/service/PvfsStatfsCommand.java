package dev.weft.pvfs.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.service.ExitCode;
import dev.weft.service.StatusTable;
import dev.weft.service.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft pvfs statfs}. */
@Command(name = "statfs", description = {"Shows the space of each I/O daemon and in total, and the number of files. The exit code is 1",
    "if one of them is not reached; the sums then omit it."})
final class PvfsStatfsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    JsonNode answer = Asking.probe(spec, outside, 1);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(answer);
    } else {
      table(answer).forEach(out::println);
    }
    out.flush();
    boolean areAllReached = true;
    for (JsonNode part : answer.path("parts")) {
      areAllReached &= part.path("reached").asBoolean();
    }
    return areAllReached ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static List<String> table(JsonNode answer) {
    TextTable table = new TextTable("NODE", ">TOTAL", ">USED", ">FREE", ">FREE %", "");
    long total = 0;
    long free = 0;
    JsonNode manager = null;
    for (JsonNode part : answer.path("parts")) {
      if (part.path("role").asText().equals("manager")) {
        manager = part;
      } else if (!part.path("reached").asBoolean()) {
        table.row(part.path("node").asText(), "-", "-", "-", "-", "not reached: " + part.path("why").asText());
      } else {
        total += part.path("totalBytes").asLong();
        free += part.path("freeBytes").asLong();
        row(table, part.path("node").asText(), part.path("totalBytes").asLong(), part.path("freeBytes").asLong());
      }
    }
    row(table, "all", total, free);
    List<String> lines = new ArrayList<>(table.lines());
    if (manager != null) {
      lines.add(manager.path("reached").asBoolean() ? manager.path("inodes").asLong() + " files, directories and links"
          : "the manager of " + manager.path("node").asText() + " is not reached: " + manager.path("why").asText());
    }
    return lines;
  }

  private static void row(TextTable table, String node, long total, long free) {
    table.row(node, StatusTable.bytes(total), StatusTable.bytes(total - free), StatusTable.bytes(free), total == 0 ? "-" : free * 100 / total, "");
  }
}
