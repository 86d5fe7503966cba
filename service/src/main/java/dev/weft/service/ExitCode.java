package dev.weft.service;

/** The exit codes of {@code weft}. */
public final class ExitCode {
  public static final int OK = 0;
  /** The operation failed. For example, it was rejected or timed out, a verification found wrong bytes, or a simulation violated an invariant. */
  public static final int FAILURE = 1;
  /** The command line was wrong; the command did nothing. */
  public static final int USAGE = 2;
  /** Ctrl-C ended the command: 128 + SIGINT, as shells report it. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
