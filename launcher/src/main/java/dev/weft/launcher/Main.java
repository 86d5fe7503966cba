package dev.weft.launcher;

/** Entry point of {@code ./weft}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(WeftCommand.commandLine().execute(args));
  }
}
