package dev.weft.service.terminal;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of commands that repeat their output until Ctrl-C. */
public final class LookOptions {
  private static final double INTERVAL_MIN_S = 0.1;
  private static final double INTERVAL_MAX_S = 3600;

  @Spec(Spec.Target.MIXEE) private CommandSpec spec;

  @Option(names = "--interval", paramLabel = "S", defaultValue = "2", description = "Seconds between two updates, 0.1 to 3600 (default: ${DEFAULT-VALUE}).")
  private double intervalS;

  @Option(names = "--once", description = "Shows one result and ends.")
  private boolean once;

  /**
   * Checks the interval.
   *
   * @throws ParameterException if it is out of its bounds
   */
  public void check() {
    if (!(intervalS >= INTERVAL_MIN_S && intervalS <= INTERVAL_MAX_S)) {
      throw new ParameterException(spec.commandLine(), "--interval is " + intervalS + ", must be from " + INTERVAL_MIN_S + " to " + INTERVAL_MAX_S
          + " seconds");
    }
  }

  public boolean isOnce() {
    return once;
  }

  /** Waits for one interval. */
  public void pause() throws InterruptedException {
    Thread.sleep((long) (intervalS * 1000));
  }

  /** Whether to repeat: not with {@code --once}, and not if the reader of {@code out} has ended. */
  public boolean goesOn(PrintWriter out) {
    return !once && !out.checkError();
  }
}
