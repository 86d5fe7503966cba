package dev.weft.lab.sim;

import java.io.PrintWriter;

/** A line that is drawn over itself; draws nothing where it is switched off. */
final class ProgressBar {
  private static final int WIDTH = 40;
  private static final long REDRAW_NS = 100_000_000;

  private final PrintWriter out;
  private final boolean on;
  private final long total;
  private final long startNs = System.nanoTime();
  private long lastNs;
  private long done;
  private long failures;

  /** @param on whether to draw, which it does on a terminal only */
  ProgressBar(PrintWriter out, boolean on, long total) {
    this.out = out;
    this.on = on && System.console() != null && System.console().isTerminal();
    this.total = total;
  }

  void step(boolean isClean) {
    done++;
    failures += isClean ? 0 : 1;
    long nowNs = System.nanoTime();
    if (!on || (nowNs - lastNs < REDRAW_NS && done < total)) {
      return;
    }
    lastNs = nowNs;
    int filled = (int) (WIDTH * done / total);
    long leftSeconds = (long) ((nowNs - startNs) / 1e9 * (total - done) / done);
    out.print("\r[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + done + "/" + total + " seeds, " + failures
        + " failed, " + leftSeconds + " s left ");
    out.flush();
  }

  /** Takes the line away. */
  void clear() {
    if (on) {
      out.print("\r\033[K");
      out.flush();
    }
  }
}
