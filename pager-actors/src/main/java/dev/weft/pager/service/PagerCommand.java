package dev.weft.pager.service;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft pager}: changes the block device of a running fabric. */
@Command(name = "pager", description = "Change the block device of the fabric of this user on this host.",
    subcommands = {ReplaceCommand.class, ForgetCommand.class},
    footerHeading = "%nExamples:%n", footer = "  ./weft pager replace memory-2 joined-4711 --yes")
final class PagerCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand: replace or forget");
  }
}
