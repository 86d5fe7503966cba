package dev.weft.launcher.cluster;

import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft down}: ends the fabric that {@code weft up} started. */
@Command(name = "down", description = "End the fabric of this user on this host: what up and join started.",
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft down                               what joined from other hosts ends, too",
        "  WEFT_STATE_DIR=/tmp/second ./weft down    the fabric of that directory"})
public final class DownCommand implements Callable<Integer> {
  private static final int PATIENCE_S = 45;
  private static final int LOOK_MS = 20;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    StateDirectory states = StateDirectory.open();
    PrintWriter out = spec.commandLine().getOut();
    List<RunState> running = states.running().stream().sorted(Comparator.comparing(RunState::kind).reversed()).toList();
    boolean isStarting = running.stream().noneMatch(state -> state.kind() == RunState.Kind.UP) && endStarting(states, out);
    if (!isStarting && running.stream().noneMatch(state -> state.kind() != RunState.Kind.MEMBER)) {
      throw new CommandFailure("no fabric is up (looked in " + states.path() + ")");
    }
    for (RunState state : running) {
      // Members end with the process that started them.
      if (state.kind() != RunState.Kind.MEMBER) {
        end(state.process().orElse(null));
        out.println("Ended " + state.kind().name().toLowerCase(java.util.Locale.ROOT) + ", pid " + state.pid() + ".");
      }
    }
    for (RunState state : states.all()) {
      if (state.process().isEmpty()) {
        states.remove(state);
      }
    }
    return ExitCode.OK;
  }

  /** One that has not recorded itself yet ends what it has started; whether there was one. */
  private static boolean endStarting(StateDirectory states, PrintWriter out) throws Exception {
    ProcessHandle process = starting(states);
    if (process == null) {
      return false;
    }
    end(process);
    out.println("Ended up, pid " + process.pid() + ", which was starting or ending.");
    return true;
  }

  /** Who starts it in the background comes first; what it starts is awaited, and ends it by its end. Null if nobody starts a fabric. */
  private static ProcessHandle starting(StateDirectory states) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    ProcessHandle process = states.claimant(UpCommand.UP).orElse(null);
    while (process == null && states.claimant(UpCommand.IN_BACKGROUND).isPresent() && System.nanoTime() < endNs) {
      Thread.sleep(LOOK_MS);
      process = states.claimant(UpCommand.UP).orElse(null);
    }
    return process;
  }

  private static void end(ProcessHandle process) throws Exception {
    if (process == null) {
      return;
    }
    process.destroy();
    try {
      process.onExit().get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      process.destroyForcibly();
      throw new CommandFailure("pid " + process.pid() + " did not end within " + PATIENCE_S + " s and was killed");
    }
  }
}
