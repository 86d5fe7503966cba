package dev.weft.service.terminal;

import java.io.PrintWriter;

/** A progress bar that redraws one line; it draws only on a terminal. One thread at a time. */
public final class ProgressBar implements AutoCloseable {
  private static final int WIDTH = 40;
  private static final long REDRAW_NS = 100_000_000;

  private final PrintWriter out;
  private final boolean on;
  private final long total;
  private final long startNs = System.nanoTime();
  private long lastNs;
  private long done;

  /**
   * Creates a bar without a finished step.
   *
   * @param out normally standard error, to keep the bar out of the results
   * @param total number of steps; 0 if it is unknown, then the bar draws nothing
   */
  public ProgressBar(PrintWriter out, long total) {
    this.out = out;
    this.total = Math.max(1, total);
    this.on = total > 0 && System.console() != null && System.console().isTerminal();
  }

  /** Counts a finished step and shows {@code what} after the bar. */
  public void step(String what) {
    done = Math.min(total, done + 1);
    long nowNs = System.nanoTime();
    if (!on || nowNs - lastNs < REDRAW_NS && done < total) {
      return;
    }
    lastNs = nowNs;
    int filled = (int) (WIDTH * done / total);
    long leftSeconds = (long) ((nowNs - startNs) / 1e9 * (total - done) / done);
    out.print("\r\033[K[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + done + "/" + total + ", " + leftSeconds + " s left: " + what + " ");
    out.flush();
  }

  /** Removes the line; the next step draws it again. */
  public void clear() {
    if (on) {
      out.print("\r\033[K");
      out.flush();
    }
  }

  @Override
  public void close() {
    clear();
  }
}
