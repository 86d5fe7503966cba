package dev.weft.lab;

import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command line of the laboratory run in this JVM, and what it said. The launcher, which knows how to say more, is not needed for that. */
public record CommandRun(int exitCode, String out, String err) {
  /** Root of the command tree. */
  @Command(name = "weft")
  private static final class Root {}

  public static CommandRun of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }

  private static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Root());
    new LaboratoryCommands().commands().forEach(line::addSubcommand);
    line.getSubcommands().values().forEach(sub -> sub.getCommandSpec().mixinStandardHelpOptions(true));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler((failure, of, parsed) -> {
      of.getErr().println("weft: " + failure.getMessage());
      if (!(failure instanceof CommandFailure)) {
        failure.printStackTrace(of.getErr());
      }
      return ExitCode.FAILURE;
    });
    return line;
  }

  /** A JVM of its own. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }
}
