package dev.weft.tripwire;

/** What a NIC counts. Hardware thread. */
public final class NicCounters {
  long packetsSent;
  long bytesSent;
  long packetsReceived;
  long bytesPlaced;
  long duplicates;
  long gaps;
  long refusalsSent;
  long refusalsLost;
  long refusalsReceived;
  long readsAnswered;
  long messagesReceived;
  long interrupts;
  long driverCalls;
  long packetsDropped;

  NicCounters() {}

  /** All of them at one moment. */
  public record Snapshot(long packetsSent, long bytesSent, long packetsReceived, long bytesPlaced, long duplicates, long gaps,
      long refusalsSent, long refusalsLost, long refusalsReceived, long readsAnswered, long messagesReceived, long interrupts,
      long driverCalls, long packetsDropped) {}

  Snapshot snapshot() {
    return new Snapshot(packetsSent, bytesSent, packetsReceived, bytesPlaced, duplicates, gaps, refusalsSent, refusalsLost,
        refusalsReceived, readsAnswered, messagesReceived, interrupts, driverCalls, packetsDropped);
  }
}
