package dev.weft.launcher;

import dev.weft.fabric.JvmFlags;
import dev.weft.launcher.cli.RawArguments;
import dev.weft.launcher.cli.StandardOutput;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;

/** Entry point of {@code ./weft}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    try {
      JvmFlags.check();
    } catch (JvmFlags.MissingException e) {
      System.err.println("weft: " + e.getMessage());
      System.exit(ExitCode.FAILURE);
    }
    String[] raw = RawArguments.of(args);
    StandardOutput out = new StandardOutput();
    PrintWriter writer = out.writer();
    int exitCode = WeftCommand.commandLineFor(raw).setOut(writer).execute(raw);
    writer.flush();
    if (exitCode == ExitCode.OK && out.problem() != null) { // The command succeeded, but the user does not see its result.
      System.err.println("weft: " + out.problem());
      exitCode = ExitCode.FAILURE;
    }
    System.exit(exitCode);
  }
}
