package dev.weft.pager.service;

import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pager replace}: replaces a lost area by the memory of a JVM that has joined. */
@Command(name = "replace", description = {"Replace a lost area of the block device by the memory of a JVM that joined.",
    "The area then reads as zeros: its old content is lost, and the JVM's own export ends."},
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft join 127.0.0.1:25520 --memory 256M               at least as much as the area has",
        "  ./weft status                                           names the lost area and the JVM that joined",
        "  ./weft pager replace memory-2 joined-4711       prints what would be lost",
        "  ./weft pager replace memory-2 joined-4711 --yes"})
final class ReplaceCommand implements Callable<Integer> {
  /** The first word of the request. The node with the lost area, the node that replaces it, and {@link #SURE} or another word follow. */
  static final String REPLACE = "replace";
  static final String SURE = "sure";
  static final int WORDS = 4;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "LOST", description = "Node whose area is lost, as 'weft status' names it.")
  private String lost;

  @Parameters(index = "1", paramLabel = "NODE", description = "Node of the JVM that joined.")
  private String node;

  @Option(names = "--yes", description = "Do it. Without it, the command only prints what would happen, with exit code 1.")
  private boolean yes;

  @Override
  public Integer call() throws Exception {
    for (String name : List.of(lost, node)) {
      if (!name.matches("[!-~]{1,200}")) {
        throw new ParameterException(spec.commandLine(), "'" + name + "' is not the name of a node");
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    ControlSocket.askUp(PagerService.NAME, List.of(REPLACE, lost, node, yes ? SURE : "unsure")).forEach(out::println);
    out.flush();
    return ExitCode.OK;
  }
}
