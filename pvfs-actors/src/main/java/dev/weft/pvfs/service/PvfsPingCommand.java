package dev.weft.pvfs.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.service.ExitCode;
import dev.weft.service.terminal.TextTable;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft pvfs ping}. */
@Command(name = "ping", description = {"Sends requests to the manager and each I/O daemon, from the first JVM of the fabric or over TCP, and",
    "prints how long the answer took or why there is none. The exit code is 1 if one of them is not reached."})
final class PvfsPingCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Option(names = "--count", paramLabel = "N", defaultValue = "5", description = "Requests to each, 1 to 1000 (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    if (count < 1 || count > Probes.COUNT_MAX) {
      throw new ParameterException(spec.commandLine(), "--count is " + count + ", must be from 1 to " + Probes.COUNT_MAX);
    }
    JsonNode answer = Asking.probe(spec, outside, count);
    PrintWriter out = spec.commandLine().getOut();
    boolean areAllReached = true;
    TextTable table = new TextTable("NODE", "ROLE", ">BEST", ">MEDIAN", "");
    for (JsonNode part : answer.path("parts")) {
      boolean isReached = part.path("reached").asBoolean();
      areAllReached &= isReached;
      table.row(part.path("node").asText(), part.path("role").asText(), isReached ? us(part.path("bestUs")) : "-", isReached ? us(part.path("medianUs")) : "-",
          isReached ? "" : "not reached: " + part.path("why").asText());
    }
    if (json) {
      out.println(answer);
    } else {
      table.lines().forEach(out::println);
    }
    out.flush();
    return areAllReached ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static String us(JsonNode value) {
    return String.format(Locale.ROOT, "%.0f us", value.asDouble());
  }
}
