package dev.weft.service.measure;

import java.io.PrintStream;
import org.HdrHistogram.Histogram;

/** Records latencies in nanoseconds with three significant digits; minimum and maximum are exact. One thread at a time. */
public final class LatencyRecorder {
  private static final long MAX_NS = 3_600_000_000_000L;

  private final Histogram histogram = new Histogram(1, MAX_NS, 3);
  private long minNs = Long.MAX_VALUE;
  private long maxNs;
  private double sumNs;
  private double sumOfSquares;

  public void record(long ns) {
    histogram.recordValue(Math.clamp(ns, 1, MAX_NS));
    minNs = Math.min(minNs, ns);
    maxNs = Math.max(maxNs, ns);
    sumNs += ns;
    sumOfSquares += (double) ns * ns;
  }

  public long count() {
    return histogram.getTotalCount();
  }

  /** Adds the latencies of another recorder. */
  public void add(LatencyRecorder other) {
    histogram.add(other.histogram);
    minNs = Math.min(minNs, other.minNs);
    maxNs = Math.max(maxNs, other.maxNs);
    sumNs += other.sumNs;
    sumOfSquares += other.sumOfSquares;
  }

  /** Returns the summary in microseconds, with each time divided by {@code divisor}: 2 turns round trips into latencies. */
  public Summary summarise(int divisor) {
    double perUs = 1e3 * divisor;
    double mean = sumNs / count();
    double variance = Math.max(0, sumOfSquares / count() - mean * mean);
    return new Summary(count(), minNs / perUs, maxNs / perUs, histogram.getValueAtPercentile(50) / perUs, mean / perUs,
        Math.sqrt(variance) / perUs, histogram.getValueAtPercentile(99) / perUs, histogram.getValueAtPercentile(99.9) / perUs);
  }

  /** Writes the distribution in HdrHistogram's text form, in microseconds. */
  public void print(PrintStream out, int divisor) {
    histogram.outputPercentileDistribution(out, 1e3 * divisor);
  }

  /** The figures of a distribution, all but {@code count} in microseconds. */
  public record Summary(long count, double min, double max, double median, double mean, double stdev, double p99, double p999) {}
}
