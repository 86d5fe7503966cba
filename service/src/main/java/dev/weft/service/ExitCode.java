package dev.weft.service;

/** What {@code weft} returns to the shell. */
public final class ExitCode {
  public static final int OK = 0;
  /** The operation was tried and failed: refused, timed out, verification found wrong bytes, a simulation violated an invariant. */
  public static final int FAILURE = 1;
  /** The command line was wrong; nothing was tried. */
  public static final int USAGE = 2;
  /** Ended by Ctrl-C (128 + SIGINT), as shells report it. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
