package dev.weft.pvfs.service;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft pvfs}. */
@Command(
    name = "pvfs",
    description = "The parallel file system of the fabric of this user on this host ('weft up --pvfs N').",
    subcommands = {PvfsUpCommand.class, PvfsDownCommand.class, PvfsPingCommand.class, PvfsStatfsCommand.class, PvfsTopCommand.class,
        PvfsListCommand.class, PvfsCopyCommand.class, PvfsStatCommand.class, PvfsViewDistributionCommand.class, PvfsMkdirCommand.class,
        PvfsRemoveCommand.class, PvfsMoveCommand.class, PvfsLinkCommand.class, PvfsSetStripeCommand.class, PvfsFsckCommand.class,
        PvfsMountCommand.class, PvfsUnmountCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft pvfs up --daemons 4 --jvms 3      four I/O daemons in two JVMs",
        "  ./weft pvfs cp big.iso pvfs:/big.iso     into the file system; the other way round out of it",
        "  ./weft pvfs viewdist /big.iso            which daemon has which bytes",
        "  ./weft pvfs top                          what daemons and clients do, second by second"})
final class PvfsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say " + String.join(", ", spec.subcommands().keySet()));
  }
}
