package dev.weft.perftest;

/** The metric of a test. */
enum PerfMetric {
  /** Latency: one message at a time. */
  LAT,
  /** Bandwidth: as many messages as the queue takes. */
  BW
}
