package dev.weft.launcher;

import dev.weft.fabric.JvmFlags;
import dev.weft.launcher.cli.RawArguments;
import dev.weft.service.ExitCode;

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
    System.exit(WeftCommand.commandLineFor(raw).execute(raw));
  }
}
