package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.http.HttpAccess;
import dev.weft.launcher.http.StatusReport;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ControlSocket;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft status}: shows the running fabric. */
@Command(name = "status", description = "Show the fabric of this user on this host: members, nodes, memory, block devices, alarms.",
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft status                        as tables",
        "  ./weft status --json | jq .health    as JSON, for scripts"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the fabric is up and healthy", "1:no fabric is up, or a part of it is lost or unhealthy",
        "2:the command line was wrong", "3:none of the fabric's JVMs answered: they were killed, or another program has the port",
        "4:the fabric runs but did not answer in time: the machine is busy, or the processes are stopped"})
public final class StatusCommand implements Callable<Integer> {
  private static final int TIMEOUT_MAX_S = 600;

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "10", description = "How long a JVM has to answer, 1 to 600 (default: 10).")
  private int timeoutS;

  @Override
  public Integer call() throws Exception {
    if (timeoutS < 1 || timeoutS > TIMEOUT_MAX_S) {
      throw new ParameterException(spec.commandLine(), "--timeout is " + timeoutS + ", must be from 1 to " + TIMEOUT_MAX_S);
    }
    Config config = ConfigFactory.load();
    StateDirectory states = StateDirectory.open();
    List<Long> unrecorded = states.awaitRecords(config);
    List<RunState> recorded = states.all();
    PrintWriter out = spec.commandLine().getOut();
    if (recorded.isEmpty()) {
      return withoutRecords(states, unrecorded, out);
    }
    List<RunState> ended = StateDirectory.ended(recorded);
    List<StatusReport.Source> asked = recorded.stream().filter(state -> !ended.contains(state)).map(state -> source(states, state)).toList();
    StatusReport report = StatusReport.ask(asked, Duration.ofSeconds(timeoutS), HttpAccess.from(config));
    out.println(json ? report.toJson() : report.toText());
    if (!json) {
      ended.forEach(state -> out.println(kind(state) + " (pid " + state.pid() + ") has ended and was not asked; alarms say what is lost."));
      if (report.health() == StatusReport.Health.SILENT) {
        List<RunState> crashed = recorded.stream().filter(state -> state.process().isEmpty()).toList();
        crashed.forEach(state -> out.println(kind(state) + " (pid " + state.pid() + ") no longer runs: it was killed, or it crashed."));
        if (!crashed.isEmpty()) {
          out.println("Start the fabric again with './weft up'.");
        }
      }
    }
    out.flush();
    return report.exitCode();
  }

  private static int withoutRecords(StateDirectory states, List<Long> unrecorded, PrintWriter out) throws IOException {
    if (unrecorded.isEmpty()) {
      String last = LastEnd.read(states);
      throw new CommandFailure("no fabric is up (looked in " + states.path() + "); " + (last.isEmpty() ? "" : last + "; ") + "start one with './weft up'");
    }
    out.println("BUSY: somebody emptied the state directory " + states.path() + ", and the fabric (pid "
        + unrecorded.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ") has not put its records back: it is stopped or busy");
    out.flush();
    return StatusReport.Health.BUSY.exitCode();
  }

  private static StatusReport.Source source(StateDirectory states, RunState state) {
    boolean isAlive = state.process().isPresent();
    return new StatusReport.Source(state.http(), isAlive ? ControlSocket.path(states, state.kind(), state.pid()) : null, isAlive ? state.pid() : 0);
  }

  private static String kind(RunState state) {
    return state.kind().name().toLowerCase(Locale.ROOT);
  }
}
