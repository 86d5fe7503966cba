package dev.weft.hca;

import dev.weft.fabric.UnknownMessages;
import dev.weft.fabric.packet.CopyCounter;

/** What one HCA has counted since it started. Written by the hardware thread; a snapshot is taken there too. */
final class HcaCounters {
  long packetsSent;
  long packetsReceived;
  long bytesSent;
  long bytesReceived;
  long bytesPlaced;
  /** Copies of payload that this HCA makes: placing it, taking it out of memory for UC and UD, posting it inline. */
  final CopyCounter copies = new CopyCounter();
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
  final UnknownMessages unknownMessages = new UnknownMessages();

  /** A copy for inspection. */
  HcaSnapshot.Counters snapshot() {
    return new HcaSnapshot.Counters(packetsSent, packetsReceived, bytesSent, bytesReceived, bytesPlaced, copies.bytes(), acksSent, naksSent,
        rnrNaksSent, rnrNaksReceived, rnrResumes, rnrTimeouts, sequenceNaksReceived, duplicateRequests, outOfSequenceRequests,
        packetsRetransmitted, timeouts, packetsDropped, atomicsExecuted, atomicsReplayed, readsRepeated,
        impliedNaks, creditStalls, receivesMissing, messagesDropped, qkeyViolations, flushesExecuted,
        atomicWritesExecuted, unknownMessages.count());
  }
}
