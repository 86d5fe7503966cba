package dev.weft.pager.service;

import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pager forget}: ends the alarm about a lost export. */
@Command(name = "forget", description = "End the alarm about an export that was lost with the JVM that joined.",
    footerHeading = "%nExamples:%n", footer = "  ./weft pager forget joined-4711")
final class ForgetCommand implements Callable<Integer> {
  /** The first word of the request; the second is the name of the export. */
  static final String FORGET = "forget";
  static final int WORDS = 2;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "EXPORT", description = "Name of the export, as 'weft status' shows it.")
  private String export;

  @Override
  public Integer call() throws Exception {
    if (!export.matches("[!-~]{1,200}")) {
      throw new ParameterException(spec.commandLine(), "'" + export + "' is not the name of an export");
    }
    PrintWriter out = spec.commandLine().getOut();
    ControlSocket.askUp(PagerService.NAME, List.of(FORGET, export)).forEach(out::println);
    out.flush();
    return ExitCode.OK;
  }
}
