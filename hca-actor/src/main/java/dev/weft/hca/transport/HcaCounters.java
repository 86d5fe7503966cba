package dev.weft.hca.transport;

import dev.weft.fabric.UnknownMessages;
import dev.weft.hca.memory.MemoryAccess;
import dev.weft.hca.verbs.HcaSnapshot;

/** What one HCA has counted since it started. Written by the hardware thread; a snapshot is taken there too. */
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
  /** Messages to UC and UD queue pairs that no receive was posted for. */
  long receivesMissing;
  /** Messages to UC and UD queue pairs that were dropped, for whatever reason. */
  long messagesDropped;
  /** Datagrams with a wrong Q_Key. */
  long qkeyViolations;
  /** FLUSH and ATOMIC_WRITE requests of peers, each once. */
  long flushesExecuted;
  long atomicWritesExecuted;
  private final UnknownMessages unknownMessages = new UnknownMessages();

  /** A packet leaves, with that many bytes of payload. */
  public void sent(int bytes) {
    packetsSent++;
    bytesSent += bytes;
  }

  /** A packet has come, with that many bytes of payload. */
  public void received(int bytes) {
    packetsReceived++;
    bytesReceived += bytes;
  }

  public void dropped() {
    packetsDropped++;
  }

  /** A queue pair begins to wait for credits. */
  public void stalled() {
    creditStalls++;
  }

  public UnknownMessages unknownMessages() {
    return unknownMessages;
  }

  /** A copy for inspection. */
  public HcaSnapshot.Counters snapshot(MemoryAccess access) {
    return new HcaSnapshot.Counters(packetsSent, packetsReceived, bytesSent, bytesReceived, access.bytesPlaced(), access.copies().bytes(), acksSent, naksSent,
        rnrNaksSent, rnrNaksReceived, rnrResumes, rnrTimeouts, sequenceNaksReceived, duplicateRequests, outOfSequenceRequests,
        packetsRetransmitted, timeouts, packetsDropped, atomicsExecuted, atomicsReplayed, readsRepeated,
        impliedNaks, creditStalls, receivesMissing, messagesDropped, qkeyViolations, flushesExecuted,
        atomicWritesExecuted, unknownMessages.count());
  }
}
