package dev.weft.perftest;

/** What is measured. */
enum PerfMetric {
  /** One message at a time. */
  LAT,
  /** As many as the queue takes. */
  BW
}
