package dev.weft.lab.sim;

import dev.weft.service.process.EndOfProcess;
import dev.weft.service.terminal.ProgressBar;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The display of a running sweep: a progress bar, and each failure when it happens. Ctrl-C and SIGTERM end the sweep after the present seed, with the
 * usual summary. Used by one thread, except {@link #isInterrupted}.
 */
final class LiveRun implements AutoCloseable {
  private final PrintWriter out;
  private final PrintWriter err;
  private final ProgressBar bar;
  private long failures;
  private final AtomicBoolean interrupted = new AtomicBoolean();

  /**
   * Begins.
   *
   * @param out output of failures and charts
   * @param err output of the bar and of messages
   * @param total number of seeds, 0 if unknown
   */
  LiveRun(PrintWriter out, PrintWriter err, long total) {
    this.out = out;
    this.err = err;
    bar = new ProgressBar(err, total);
    EndOfProcess.endOnSignal(() -> interrupted.set(true));
  }

  /** Whether the user has asked for the end. Any thread. */
  boolean isInterrupted() {
    return interrupted.get();
  }

  void step(boolean isClean) {
    failures += isClean ? 0 : 1;
    bar.step(failures + " seeds failed");
  }

  void tell(String description) {
    bar.clear();
    out.println(description);
    out.flush();
  }

  void news(String line) {
    bar.clear();
    err.println("weft: " + line);
    err.flush();
  }

  /** Removes the bar; the summary follows. */
  void end() {
    bar.clear();
    if (isInterrupted()) {
      news("interrupted; the summary covers the seeds that were run");
    }
  }

  /** The summary has been printed. */
  @Override
  public void close() {
    EndOfProcess.done();
  }
}
