package dev.weft.launcher.perftest;

import java.util.Locale;

/** The columns of the perftest package. */
final class PerfTable {
  private PerfTable() {}

  static String header(PerfParameters p) {
    String rate = " #bytes     #iterations    BW peak[MB/s]    BW average[MB/s]   MsgRate[Mpps]";
    String latency = "    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%[usec]   99.9%[usec]";
    String copies = p.isUnreliable() ? "   copies/byte  lost" : "   copies/byte";
    return switch (p.test().metric()) {
      case LAT -> " #bytes     #iterations" + latency + copies;
      case BW -> p.rateOps() > 0 ? rate + latency + copies : rate + copies;
    };
  }

  static String row(PerfResult r) {
    PerfParameters p = r.parameters();
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, " %-10d %-14d", p.sizeBytes(), r.messages()));
    if (p.test().metric() == PerfMetric.BW) {
      row.append(String.format(Locale.ROOT, " %-16.2f %-18.2f %-13.6f", r.peakBytesPerSecond() / 1e6, r.bytesPerSecond() / 1e6,
          r.messagesPerSecond() / 1e6));
    }
    LatencyRecorder.Summary l = r.latency();
    if (l != null) {
      row.append(String.format(Locale.ROOT, " %-14.2f %-12.2f %-16.2f %-14.2f %-15.2f %-11.2f %-13.2f", l.min(), l.max(), l.median(),
          l.mean(), l.stdev(), l.p99(), l.p999()));
    }
    row.append(String.format(Locale.ROOT, " %-12.2f", r.copiesPerByte()));
    return (p.isUnreliable() ? row.append(String.format(Locale.ROOT, " %d", r.lost())) : row).toString().stripTrailing();
  }

  /** What the measurement was, in perftest's manner. */
  static String preamble(PerfParameters p, int mtuBytes, int jvms) {
    return String.format(Locale.ROOT, " %s, %s, %d JVM%s, %d queue pair%s, depth %d, path MTU %d B, %s context%s%s%s%s",
        p.test().cliName(), p.type(), jvms, jvms == 1 ? "" : "s", p.queuePairs(), p.queuePairs() == 1 ? "" : "s", p.depth(), mtuBytes,
        p.context() == PerfContext.ISR ? "isr" : "polling", p.isInline() ? ", inline" : "", p.verify() ? ", verified" : "",
        p.rateOps() > 0 ? String.format(Locale.ROOT, ", %.0f messages/s", p.rateOps()) : "", p.parkTarget() ? ", target parked" : "");
  }
}
