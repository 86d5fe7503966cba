package dev.weft;

import dev.weft.launcher.WeftCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** A command line run in this JVM, and what it said; further JVMs that it starts run the launcher's {@code weft}. */
public record CommandRun(int exitCode, String out, String err) {
  public static CommandRun of(String... args) {
    return of(WeftCommand.commandLine(), args);
  }

  public static CommandRun of(CommandLine line, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }
}
