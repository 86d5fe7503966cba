package dev.weft.tripwire;

import dev.weft.fabric.UnknownMessages;
import dev.weft.fabric.packet.CopyCounter;

/** Counters of a NIC. Hardware thread. */
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
  final UnknownMessages unknownMessages = new UnknownMessages();

  /** Bytes copied out of packets. */
  final CopyCounter copies = new CopyCounter();

  NicCounters() {}

  /** All counters at one moment. */
  public record Snapshot(long packetsSent, long bytesSent, long packetsReceived, long bytesPlaced, long bytesCopied, long duplicates, long gaps,
      long refusalsSent, long refusalsLost, long refusalsReceived, long readsAnswered, long messagesReceived, long interrupts,
      long driverCalls, long packetsDropped, long unknownMessages) {}

  Snapshot snapshot() {
    return new Snapshot(packetsSent, bytesSent, packetsReceived, bytesPlaced, copies.bytes(), duplicates, gaps, refusalsSent,
        refusalsLost, refusalsReceived, readsAnswered, messagesReceived, interrupts, driverCalls, packetsDropped, unknownMessages.count());
  }
}
