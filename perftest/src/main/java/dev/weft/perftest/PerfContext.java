package dev.weft.perftest;

/** The thread that runs the near side. */
enum PerfContext {
  /** Completion handlers on the hardware thread, and for write-lat a poller there. */
  ISR,
  /** An application thread that spins. */
  POLLING
}
