package dev.weft.lab.trials.tripwire;

/** Kind of measurement. */
enum TripwireTest {
  /** A write to the far side, noticed by a Tripwire, and a write back, noticed by another. */
  RTT,
  /** Stores at full speed, each noticed by a Tripwire. */
  RATE,
  /** DMA at full speed, each message noticed by a Tripwire. */
  BANDWIDTH,
  /** Requests to a server that selects on an event queue. */
  SERVER;

  String cliName() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  boolean isStream() {
    return this == RATE || this == BANDWIDTH;
  }
}
