package dev.weft.hca.transport;

import dev.weft.fabric.UnknownMessages;
import dev.weft.hca.memory.MemoryAccess;
import dev.weft.hca.verbs.HcaSnapshot;

/** The counters of one HCA since it started. Used on the hardware thread only, also for snapshots. */
public final class HcaCounters {
  long packetsSent;
  long packetsReceived;
  long bytesSent;
  long bytesReceived;
  long acksSent;
  long naksSent;
  long rnrNaksSent;
  long rnrNaksReceived;
  long rnrResumes;
  long rnrTimeouts;
  long sequenceNaksReceived;
  long duplicateRequests;
  long outOfSequenceRequests;
  long packetsRetransmitted;
  long timeouts;
  long packetsDropped;
  long atomicsExecuted;
  long atomicsReplayed;
  long readsRepeated;
  long impliedNaks;
  long creditStalls;
  /** Messages to UC and UD queue pairs without a posted receive. */
  long receivesMissing;
  /** Messages to UC and UD queue pairs that were dropped for any reason. */
  long messagesDropped;
  /** Datagrams with a wrong Q_Key. */
  long qkeyViolations;
  /** Executed FLUSH requests of peers and, below, ATOMIC_WRITE requests; duplicates do not count. */
  long flushesExecuted;
  long atomicWritesExecuted;
  private final UnknownMessages unknownMessages = new UnknownMessages();

  /** Counts a sent packet with {@code bytes} bytes of payload. */
  public void sent(int bytes) {
    packetsSent++;
    bytesSent += bytes;
  }

  /** Counts a received packet with {@code bytes} bytes of payload. */
  public void received(int bytes) {
    packetsReceived++;
    bytesReceived += bytes;
  }

  public void dropped() {
    packetsDropped++;
  }

  /** Counts a queue pair that begins to wait for credits. */
  public void stalled() {
    creditStalls++;
  }

  public UnknownMessages unknownMessages() {
    return unknownMessages;
  }

  /** Returns a copy for inspection. */
  public HcaSnapshot.Counters snapshot(MemoryAccess access) {
    return new HcaSnapshot.Counters(packetsSent, packetsReceived, bytesSent, bytesReceived, access.bytesPlaced(), access.copies().bytes(), acksSent, naksSent,
        rnrNaksSent, rnrNaksReceived, rnrResumes, rnrTimeouts, sequenceNaksReceived, duplicateRequests, outOfSequenceRequests,
        packetsRetransmitted, timeouts, packetsDropped, atomicsExecuted, atomicsReplayed, readsRepeated,
        impliedNaks, creditStalls, receivesMissing, messagesDropped, qkeyViolations, flushesExecuted,
        atomicWritesExecuted, unknownMessages.count());
  }
}
