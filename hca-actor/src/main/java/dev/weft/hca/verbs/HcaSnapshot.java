package dev.weft.hca.verbs;

import dev.weft.hca.completion.Cq;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.memory.Mw;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.Srq;
import java.util.List;

/** A snapshot of one HCA, for inspection. */
public record HcaSnapshot(
    String node,
    int lid,
    boolean linkUp,
    List<Integer> linkCredits,
    Counters counters,
    List<Qp> queuePairs,
    List<Cq> completionQueues,
    List<Mr> memoryRegions,
    List<Srq> sharedReceiveQueues,
    List<Mw> memoryWindows,
    List<CompletionCount> completionCounters,
    List<Group> multicastGroups,
    List<Pd> protectionDomains) {

  /**
   * Packet, byte and error counts since the HCA started.
   *
   * @param bytesPlaced bytes written to registered memory
   * @param bytesCopied bytes of payload copied
   * @param unknownMessages messages of unknown types to its actor
   */
  public record Counters(
      long packetsSent,
      long packetsReceived,
      long bytesSent,
      long bytesReceived,
      long bytesPlaced,
      long bytesCopied,
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
      long atomicWritesExecuted,
      long unknownMessages) {}

  /**
   * One protection domain.
   *
   * @param useCount number of queue pairs, regions, windows, shared receive queues, address handles and parent domains that belong to it
   * @param unpinnedRegions number of its regions with unpinned memory
   */
  public record Pd(int handle, int useCount, int unpinnedRegions) {}

  /**
   * One queue pair. Queue lengths are in work requests. For a datagram queue pair, peer and PSNs are 0 or meaningless; its queue key is a
   * secret and is omitted.
   *
   * @param sendQueue number of requests that are not completed
   * @param sharedReceiveQueue number of its shared receive queue, or 0 if it has its own
   * @param sendSlotsTaken number of used slots of the send queue; polling a completion frees slots
   * @param retriesMost the largest number of retries that a reliable connection used before an acknowledgement
   * @param silenceMaxNs the longest wait for a response that exceeded the timeout; 0 if no wait did
   * @param retryBudgetNs the time without a response after which the connection ends; 0 if it never does
   * @param stall the reason why it does not progress, and for how long
   * @param failure the status or event that made it fail, such as RETRY_EXC_ERR; empty if it has not failed, or if its program or peer ended the
   *     connection
   */
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
      QpType type,
      int sharedReceiveQueue,
      int sendSlotsTaken,
      int retriesMost,
      long silenceMaxNs,
      long retryBudgetNs,
      Stall stall,
      String failure) {}

  /**
   * One completion queue.
   *
   * @param timestamps whether the HCA records the time of each completion; only extended queues request that
   * @param singleThreaded whether its consumer has promised that only one thread polls
   * @param reading whether a batch of an extended queue is being read
   */
  public record Cq(
      int number,
      ReceiveContext context,
      int size,
      int capacity,
      boolean armed,
      boolean overrun,
      long completions,
      long notifications,
      boolean timestamps,
      boolean singleThreaded,
      boolean reading) {}

  /**
   * One shared receive queue. Lengths are in receives.
   *
   * @param size number of receives that are posted and not taken
   * @param limit number of receives below which the limit event occurs; 0 if it is not armed
   * @param armed whether the limit event is armed
   * @param queuePairs number of queue pairs that share it
   */
  public record Srq(int number, int size, int capacity, int limit, boolean armed, int queuePairs) {}

  /**
   * One memory window; its key is a secret and is omitted.
   *
   * @param addr first address that peers use; 0 if it is not bound
   * @param length number of accessible bytes; 0 if it is not bound
   * @param access rights that it grants; empty if it is not bound
   * @param regionAddr first address of its region; 0 if it is not bound
   * @param queuePair the queue pair that a bound type 2 window serves, otherwise 0
   */
  public record Mw(MemoryWindow.Type type, boolean bound, long addr, long length, String access, long regionAddr, int queuePair) {}

  /**
   * One completion counter.
   *
   * @param attached number of pairs of queue pair and operation that it counts
   */
  public record CompletionCount(int number, long count, long errors, int attached) {}

  /** One multicast group, by its LID, and the attached queue pairs of this HCA. */
  public record Group(int lid, List<Integer> queuePairs) {}

  /** One memory region; its keys are secrets and are omitted. */
  public record Mr(long addr, long length, String access, boolean pinned, boolean valid) {}
}
