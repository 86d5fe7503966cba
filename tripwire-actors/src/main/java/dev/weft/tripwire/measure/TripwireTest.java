package dev.weft.tripwire.measure;

/** What is measured. */
enum TripwireTest {
  /** A write there, told by a Tripwire, and a write back, told by another. */
  RTT,
  /** Stores as fast as possible, each told by a Tripwire. */
  RATE,
  /** DMA as fast as possible, each message told by a Tripwire. */
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
