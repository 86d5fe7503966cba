package dev.weft.pvfs.service.show;

import java.io.PrintWriter;

/** A line that is drawn over itself, on a terminal only. One thread at a time. */
public final class ProgressBar implements AutoCloseable {
  private static final int WIDTH = 40;
  private static final long REDRAW_NS = 100_000_000;

  private final PrintWriter out;
  private final boolean on;
  private final int total;
  private final long startNs = System.nanoTime();
  private long lastNs;
  private int done;

  /**
   * Nothing is done yet.
   *
   * @param out standard error as a rule, so that results stay apart
   * @param total steps that there will be
   */
  public ProgressBar(PrintWriter out, int total) {
    this.out = out;
    this.total = Math.max(1, total);
    this.on = System.console() != null && System.console().isTerminal();
  }

  /** One more step is done. */
  public void step(String what) {
    done = Math.min(total, done + 1);
    long nowNs = System.nanoTime();
    if (!on || nowNs - lastNs < REDRAW_NS && done < total) {
      return;
    }
    lastNs = nowNs;
    int filled = WIDTH * done / total;
    long leftSeconds = (long) ((nowNs - startNs) / 1e9 * (total - done) / done);
    out.print("\r\033[K[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + done + "/" + total + ", " + leftSeconds + " s left: " + what + " ");
    out.flush();
  }

  /** Takes the line away. */
  @Override
  public void close() {
    if (on) {
      out.print("\r\033[K");
      out.flush();
    }
  }
}
