package dev.weft.dsm.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft dsm}. The laboratory adds the subcommands that try and measure shared memory. */
@Command(
    name = "dsm",
    description = "Sequentially consistent shared memory for threads of many nodes.",
    subcommands = {DsmServeCommand.class, DsmTopCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft dsm run sor --nodes 4 --jvms 2 --verify  a program whose result is verified",
        "  ./weft dsm litmus SB IRIW --nodes 4 --jvms 2   whether it is sequentially consistent",
        "  ./weft dsm bench faults --jvms 2         what a page costs that another JVM has",
        "  ./weft dsm serve --nodes 2 --mmu /tmp/weft-mmu   for programs in any language, by page protection",
        "  ./weft dsm top                           which arrays of 'weft up --dsm NAME' suffer, and why"})
public final class DsmCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say " + String.join(", ", spec.subcommands().keySet()));
  }
}
