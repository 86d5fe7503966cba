package dev.weft.launcher.perftest;

import java.util.Locale;

/** The columns of the perftest package. */
public final class PerfTable {
  private PerfTable() {}

  /**
   * The rate of a row.
   *
   * @param peak bytes per second in the best millisecond
   * @param average bytes per second
   * @param messages messages per second
   */
  public record Rate(double peak, double average, double messages) {}

  /** Names of the columns that {@link #columns(int, long, Rate, LatencyRecorder.Summary)} fills. */
  public static String columns(boolean rate, boolean latency) {
    return " #bytes     #iterations" + (rate ? "    BW peak[MB/s]    BW average[MB/s]   MsgRate[Mpps]" : "")
        + (latency ? "    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%[usec]   99.9%[usec]" : "");
  }

  /** What was measured; {@code rate} or {@code latency} is null where it has no columns. */
  public static String columns(int bytes, long messages, Rate rate, LatencyRecorder.Summary latency) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, " %-10d %-14d", bytes, messages));
    if (rate != null) {
      row.append(String.format(Locale.ROOT, " %-16.2f %-18.2f %-13.6f", rate.peak() / 1e6, rate.average() / 1e6, rate.messages() / 1e6));
    }
    if (latency != null) {
      row.append(String.format(Locale.ROOT, " %-14.2f %-12.2f %-16.2f %-14.2f %-15.2f %-11.2f %-13.2f", latency.min(), latency.max(),
          latency.median(), latency.mean(), latency.stdev(), latency.p99(), latency.p999()));
    }
    return row.toString();
  }

  static String header(PerfParameters p) {
    String copies = p.isUnreliable() ? "   copies/byte  lost" : "   copies/byte";
    boolean bandwidth = p.test().metric() == PerfMetric.BW;
    return columns(bandwidth, !bandwidth || p.rateOps() > 0) + copies;
  }

  static String row(PerfResult r) {
    PerfParameters p = r.parameters();
    Rate rate = p.test().metric() == PerfMetric.BW ? new Rate(r.peakBytesPerSecond(), r.bytesPerSecond(), r.messagesPerSecond()) : null;
    StringBuilder row = new StringBuilder(columns(p.sizeBytes(), r.messages(), rate, r.latency()));
    row.append(String.format(Locale.ROOT, " %-12.2f", r.copiesPerByte()));
    return (p.isUnreliable() ? row.append(String.format(Locale.ROOT, " %d", r.lost())) : row).toString().stripTrailing();
  }

  /** What stands below a row whose target was parked. */
  static String parked(PerfResult r) {
    PerfResult.Parked parked = r.parked();
    return String.format(Locale.ROOT, " parked: %d threads of the target's JVM blocked; its application did not answer for %.0f ms, and in %.0f us"
        + " while it ran.%n Typical latency %.2f us parked, %.2f us running: %.2f times.", parked.threads(), parked.unansweredMs(),
        parked.answeredUs(), r.latency().median(), parked.running().median(), r.latency().median() / parked.running().median());
  }

  /** What the measurement was, in perftest's manner. */
  static String preamble(PerfParameters p, int mtuBytes, int jvms) {
    return String.format(Locale.ROOT, " %s, %s, %d JVM%s, %d queue pair%s, depth %d, path MTU %d B, %s context%s%s%s%s",
        p.test().cliName(), p.type(), jvms, jvms == 1 ? "" : "s", p.queuePairs(), p.queuePairs() == 1 ? "" : "s", p.depth(), mtuBytes,
        p.context() == PerfContext.ISR ? "isr" : "polling", p.isInline() ? ", inline" : "", p.verify() ? ", verified" : "",
        p.rateOps() > 0 ? String.format(Locale.ROOT, ", %.0f messages/s", p.rateOps()) : "", p.parkTarget() ? ", target parked" : "");
  }
}
