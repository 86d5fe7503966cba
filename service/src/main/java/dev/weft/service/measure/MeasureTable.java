package dev.weft.service.measure;

import java.util.Locale;

/** Formats measurements in the columns of the perftest package. */
public final class MeasureTable {
  private MeasureTable() {}

  /**
   * The rate of a row.
   *
   * @param peak bytes per second in the best millisecond
   * @param average bytes per second
   * @param messages messages per second
   */
  public record Rate(double peak, double average, double messages) {}

  /** Returns the heads of the columns that {@link #columns(int, long, Rate, LatencyRecorder.Summary)} fills. */
  public static String columns(boolean rate, boolean latency) {
    return " #bytes     #iterations" + (rate ? "    BW peak[MB/s]    BW average[MB/s]   MsgRate[Mpps]" : "")
        + (latency ? "    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%[usec]   99.9%[usec]" : "");
  }

  /** Returns the row of one measurement; {@code rate} or {@code latency} is null if the table has no columns for it. */
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
}
