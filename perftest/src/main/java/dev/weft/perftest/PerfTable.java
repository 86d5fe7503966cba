package dev.weft.perftest;

import dev.weft.service.measure.MeasureTable;

import java.util.Locale;

/** Renders measurements as a table. */
final class PerfTable {
  private PerfTable() {}

  static String header(PerfParameters p) {
    String copies = p.isUnreliable() ? "   copies/byte  lost" : "   copies/byte";
    boolean bandwidth = p.test().metric() == PerfMetric.BW;
    return MeasureTable.columns(bandwidth, !bandwidth || p.rateOps() > 0) + copies;
  }

  static String row(PerfResult r) {
    PerfParameters p = r.parameters();
    MeasureTable.Rate rate = p.test().metric() == PerfMetric.BW
        ? new MeasureTable.Rate(r.peakBytesPerSecond(), r.bytesPerSecond(), r.messagesPerSecond()) : null;
    StringBuilder row = new StringBuilder(MeasureTable.columns(p.sizeBytes(), r.messages(), rate, r.latency()));
    row.append(String.format(Locale.ROOT, " %-12.2f", r.copiesPerByte()));
    return (p.isUnreliable() ? row.append(String.format(Locale.ROOT, " %d", r.lost())) : row).toString().stripTrailing();
  }

  /** Returns the text below a row whose target was parked. */
  static String parked(PerfResult r) {
    PerfResult.Parked parked = r.parked();
    return String.format(Locale.ROOT, " parked: %d threads of the target's JVM blocked; its application did not answer for %.0f ms, and in %.0f us"
        + " while it ran.%n Typical latency %.2f us parked, %.2f us running: %.2f times.", parked.threads(), parked.unansweredMs(),
        parked.answeredUs(), r.latency().median(), parked.running().median(), r.latency().median() / parked.running().median());
  }

  /** Returns a description of the measurement, in the style of the perftest package. */
  static String preamble(PerfParameters p, int mtuBytes, int jvms) {
    return String.format(Locale.ROOT, " %s, %s, %d JVM%s, %d queue pair%s, depth %d, path MTU %d B, %s context%s%s%s%s",
        p.test().cliName(), p.type(), jvms, jvms == 1 ? "" : "s", p.queuePairs(), p.queuePairs() == 1 ? "" : "s", p.depth(), mtuBytes,
        p.context() == PerfContext.ISR ? "isr" : "polling", p.isInline() ? ", inline" : "", p.verify() ? ", verified" : "",
        p.rateOps() > 0 ? String.format(Locale.ROOT, ", %.0f messages/s", p.rateOps()) : "", p.parkTarget() ? ", target parked" : "");
  }
}
