package dev.weft.launcher.cluster;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft down}: ends the fabric that {@code weft up} started. */
@Command(name = "down", description = "End the fabric of this user on this host: all JVMs of up and join, also of an up that is still starting.",
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft down                               JVMs that joined from other hosts end, too",
        "  WEFT_STATE_DIR=/tmp/second ./weft down    the fabric of that directory"})
public final class DownCommand implements Callable<Integer> {
  private static final int PATIENCE_S = 45;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    StateDirectory states = StateDirectory.open();
    PrintWriter out = spec.commandLine().getOut();
    List<Long> lost = states.awaitRecords(ConfigFactory.load());
    List<RunState> running = states.running().stream().sorted(Comparator.comparing(RunState::kind).reversed()).toList();
    ProcessHandle starting = starting(states, running);
    if (lost.isEmpty() && starting == null && running.stream().noneMatch(state -> state.kind() != RunState.Kind.MEMBER)) {
      throw new CommandFailure("no fabric is up (looked in " + states.path() + ")");
    }
    for (RunState state : running) {
      // Members end with the process that started them.
      if (state.kind() != RunState.Kind.MEMBER) {
        end(state);
        out.println("Ended " + state.kind().name().toLowerCase(java.util.Locale.ROOT) + ", pid " + state.pid() + ".");
      }
    }
    if (starting != null) {
      end(starting);
      out.println("Ended up, pid " + starting.pid() + ", which was starting or ending.");
    }
    for (long pid : lost) {
      ProcessHandle process = ProcessHandle.of(pid).orElse(null);
      if (process != null) {
        end(process);
        out.println("Ended pid " + pid + ", whose record somebody had removed.");
      }
    }
    for (RunState state : states.all()) {
      if (state.process().isEmpty()) {
        states.remove(state);
      }
    }
    return ExitCode.OK;
  }

  /** Returns the process of a fabric that has claimed its place but is not recorded, because it is not ready yet or is ending; null if there is none. */
  private static ProcessHandle starting(StateDirectory states, List<RunState> recorded) throws IOException {
    ProcessHandle process = states.claimant(StateDirectory.FIRST_JVM).orElse(null);
    boolean isRecorded = process != null && recorded.stream().anyMatch(state -> state.pid() == process.pid());
    return isRecorded ? null : process;
  }

  private static void end(RunState state) throws Exception {
    ProcessHandle process = state.process().orElse(null);
    if (process != null) {
      end(process);
    }
  }

  private static void end(ProcessHandle process) throws Exception {
    process.destroy();
    if (!ProcessWatch.awaitEnd(process.pid(), TimeUnit.SECONDS.toMillis(PATIENCE_S))) {
      process.destroyForcibly();
      throw new CommandFailure("pid " + process.pid() + " did not end within " + PATIENCE_S + " s and was killed");
    }
  }
}
