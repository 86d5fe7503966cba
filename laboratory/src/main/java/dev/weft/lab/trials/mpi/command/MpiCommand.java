package dev.weft.lab.trials.mpi.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft mpi}. */
@Command(
    name = "mpi",
    description = "Runs programs of message passing over CLAN NICs; each checks its own result.",
    subcommands = {MpiRunCommand.class, MpiListCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft mpi list",
        "  ./weft mpi run ep --ranks 4             NAS EP class S against its published sums",
        "  ./weft mpi run is --ranks 4 --jvms 2    NAS IS class S, ranks 2 and 3 in another JVM"})
public final class MpiCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand: run or list");
  }
}
