package dev.weft.launcher;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** A command line run in this JVM, and what it said. */
public record CommandRun(int exitCode, String out, String err) {
  public static CommandRun of(String... args) {
    return of(WeftCommand.commandLineFor(args), args);
  }

  public static CommandRun of(CommandLine line, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = line.execute(args);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }
}
