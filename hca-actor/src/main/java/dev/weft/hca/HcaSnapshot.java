package dev.weft.hca;

import java.util.List;

/** The state of one HCA at one moment, for inspection. */
public record HcaSnapshot(
    String node,
    int lid,
    boolean linkUp,
    List<Integer> linkCredits,
    Counters counters,
    List<Qp> queuePairs,
    List<Cq> completionQueues,
    List<Mr> memoryRegions,
    List<Srq> sharedReceiveQueues) {

  /** Packet, byte and error counts since the HCA started. */
  public record Counters(
      long packetsSent,
      long packetsReceived,
      long bytesSent,
      long bytesReceived,
      long bytesPlaced,
      long acksSent,
      long naksSent,
      long rnrNaksSent,
      long rnrNaksReceived,
      long rnrResumes,
      long rnrTimeouts,
      long sequenceNaksReceived,
      long duplicateRequests,
      long outOfSequenceRequests,
      long packetsRetransmitted,
      long timeouts,
      long packetsDropped,
      long atomicsExecuted,
      long atomicsReplayed,
      long readsRepeated,
      long impliedNaks,
      long creditStalls,
      long receivesMissing,
      long messagesDropped,
      long qkeyViolations,
      long flushesExecuted,
      long atomicWritesExecuted) {}

  /** One queue pair. Queue lengths in work requests. */
  public record Qp(
      int number,
      QpState state,
      int destLid,
      int destQpNum,
      int sendQueue,
      int sendQueueMax,
      int receiveQueue,
      int receiveQueueMax,
      int sendPsn,
      int unackedPsn,
      int expectedPsn,
      int retriesLeft,
      boolean rnrWait,
      QpType type) {}

  /** One completion queue. */
  public record Cq(
      int number, ReceiveContext context, int size, int capacity, boolean armed, boolean overrun, long completions,
      long notifications) {}

  /** One shared receive queue. Lengths in receives; {@code queuePairs} is how many share it. */
  public record Srq(int number, int size, int capacity, int limit, int queuePairs) {}

  /** One memory region; keys are secrets and stay out. */
  public record Mr(long addr, long length, String access, boolean pinned, boolean valid) {}
}
