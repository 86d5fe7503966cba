package dev.weft.launcher.cluster;

import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.http.HttpAccess;
import dev.weft.launcher.http.StatusReport;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.PrintWriter;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft status}: what runs. */
@Command(name = "status", description = "Show the fabric of this user on this host: members, nodes, memory, block devices, alarms.",
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft status                        as tables",
        "  ./weft status --json | jq .health    as JSON, for scripts"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the fabric is up and healthy", "1:no fabric is up, or a part of it is lost or unwell",
        "2:the command line was wrong", "3:none of the fabric's JVMs answered"})
public final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    StateDirectory states = StateDirectory.open();
    List<RunState> recorded = states.all();
    if (recorded.isEmpty()) {
      throw new CommandFailure("no fabric is up (looked in " + states.path() + "); start one with './weft up'");
    }
    List<RunState> ended = StateDirectory.ended(recorded);
    List<URI> asked = recorded.stream().filter(state -> !ended.contains(state)).map(RunState::http).toList();
    StatusReport report = StatusReport.fetch(asked, StatusReport.DEFAULT_TIMEOUT, HttpAccess.from(ConfigFactory.load()));
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? report.toJson() : report.toText());
    if (!json) {
      ended.forEach(state -> out.println(state.kind().name().toLowerCase(Locale.ROOT) + " (pid " + state.pid()
          + ") has ended and was not asked; alarms say what is lost."));
    }
    out.flush();
    return report.exitCode();
  }
}
