package dev.weft.tripwire.driver;

import dev.weft.fabric.UnknownMessages;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.tripwire.nic.NicSnapshot;

/** Counters of a NIC. Hardware thread. */
public final class NicCounters {
  public long packetsSent;
  public long bytesSent;
  public long packetsReceived;
  public long bytesPlaced;
  public long duplicates;
  public long gaps;
  public long refusalsSent;
  public long refusalsLost;
  public long refusalsReceived;
  public long readsAnswered;
  public long messagesReceived;
  public long interrupts;
  public long driverCalls;
  public long packetsDropped;
  public final UnknownMessages unknownMessages = new UnknownMessages();

  /** Bytes copied out of packets. */
  public final CopyCounter copies = new CopyCounter();

  NicCounters() {}

  public NicSnapshot.Counters snapshot() {
    return new NicSnapshot.Counters(packetsSent, bytesSent, packetsReceived, bytesPlaced, copies.bytes(), duplicates, gaps, refusalsSent,
        refusalsLost, refusalsReceived, readsAnswered, messagesReceived, interrupts, driverCalls, packetsDropped, unknownMessages.count());
  }
}
