package dev.weft.lab.trials.mpi.command;

import dev.weft.lab.trials.mpi.Examples;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weft mpi list}. */
@Command(name = "list", description = "Lists the programs that 'weft mpi run' knows.")
public final class MpiListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Examples.all().forEach(example -> out.println(String.format(Locale.ROOT, "%-6s %s", example.name(), example.description())));
    out.flush();
    return ExitCode.OK;
  }
}
